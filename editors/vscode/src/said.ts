// What a failure says to a person. Knows nothing of VS Code.

/** The message of an error, with the cure that the server sends along. */
export function said(reason: unknown): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  const data = (reason as { data?: unknown } | null)?.data;
  const cure = (data as { cure?: unknown } | null | undefined)?.cure;
  return typeof cure === "string" && cure && !message.includes(cure) ? `${message}: ${cure}` : message;
}
