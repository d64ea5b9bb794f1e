/** Keeps the page for use without a network, and each version whole: files of two versions never meet.
 *
 * A version is fetched whole before it is used, and used until another one has been fetched whole and the visitor has
 * said so. What is not of the version, such as examples, comes from the network where there is one. What no visit needs
 * at once is fetched when the page says that it rests.
 */

declare const self: ServiceWorkerGlobalScope;

export {};

const VERSION = "{{version}}";
const PREFIX = `acdl-playground ${self.registration.scope} `;
const OWN = PREFIX + VERSION;
const root = new URL("./", self.location.href);

async function install(): Promise<void> {
  const response = await fetch(new URL("manifest.json", root), { cache: "no-cache" });
  const { version, files } = (await response.json()) as { version: string; files: string[] };
  if (version !== VERSION) throw new Error(`the site has ${version}, and this is ${VERSION}`);
  const cache = await caches.open(OWN);
  const lasting = (name: string): boolean => name.startsWith(`${VERSION}/`);
  await Promise.all(
    ["./", ...files].map(async (name) => {
      const address = new URL(name, root);
      // What lies in the folder of the version never changes: the page has just fetched it.
      const found = await fetch(address, { cache: lasting(name) ? "default" : "no-cache" });
      if (!found.ok) throw new Error(`${name}: ${found.status}`);
      await cache.put(address, found);
    }),
  );
}

interface Manifest {
  /** Of the version, for what few visits ask for: fonts, licences. */
  later: string[];
}

interface Menu {
  groups: { examples: { key: string }[] }[];
}

/** What was kept when the page was, read anew only if it is not. */
async function listed<T>(name: string): Promise<T> {
  const cache = await caches.open(OWN);
  const found = (await cache.match(new URL(name, root))) ?? (await fetch(new URL(name, root)));
  return (await found.json()) as T;
}

/** Fetch what is missing of the rest, one file after another; what cannot be had now is tried again at the next visit. */
async function keepRest(): Promise<void> {
  const [{ later }, { groups }] = await Promise.all([listed<Manifest>("manifest.json"), listed<Menu>("examples.json")]);
  const examples = groups.flatMap((group) => group.examples.map(({ key }) => `examples/${encodeURIComponent(key)}.json`));
  const cache = await caches.open(OWN);
  for (const name of [...examples, ...later]) {
    const address = new URL(name, root);
    if (await cache.match(address)) continue;
    const found = await fetch(address);
    if (found.ok) await cache.put(address, found);
  }
}

async function activate(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== OWN) await caches.delete(name);
  await self.clients.claim();
}

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(OWN);
  const address = new URL(request.url);
  address.search = "";
  address.hash = "";
  if (address.pathname === `${root.pathname}index.html`) address.pathname = root.pathname;
  const kept = await cache.match(address);
  const isOfVersion = address.pathname === root.pathname || address.pathname.startsWith(`${root.pathname}${VERSION}/`);
  if (kept && isOfVersion) return kept;
  try {
    const found = await fetch(request);
    // Where there is no room for it, it is shown anyway.
    if (found.ok) await cache.put(address, found.clone()).catch(() => undefined);
    return found;
  } catch (problem) {
    if (kept) return kept;
    throw problem;
  }
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => {
  if (event.data === "take over") event.waitUntil(self.skipWaiting());
  if (event.data === "keep the rest") event.waitUntil(keepRest().catch(() => undefined));
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(root.href)) event.respondWith(answer(request));
});
