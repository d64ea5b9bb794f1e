/** Files that the bundle has in it as text. */

declare module "*.acdl" {
  const text: string;
  export default text;
}

declare module "*.yaml" {
  const text: string;
  export default text;
}
