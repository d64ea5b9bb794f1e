/** Registers the service worker, which keeps the page for use without a network, and tells of newer versions.
 *
 * To be done when the page has all that it needs at once: the worker fetches the same files, which are at hand then.
 */

const SCRIPT = "service_worker.js";

/** Keep the page; false where that cannot be done, such as on a page that is not served securely.
 *
 * A newer version is fetched whole while this one continues; `onNewVersion` gets what shows it.
 */
export async function keepOffline(onNewVersion: (reload: () => void) => void): Promise<boolean> {
  if (!("serviceWorker" in navigator) || !self.isSecureContext) return false;
  const container = navigator.serviceWorker;
  const isKept = (): boolean => container.controller !== null; // not while the first version is fetched
  let wasKept = isKept();
  container.addEventListener("controllerchange", () => {
    // Another tab has loaded a newer version, and the files of this one are no longer kept.
    if (wasKept) onNewVersion(() => location.reload());
    wasKept = true;
  });
  try {
    const registration = await container.register(new URL(SCRIPT, document.baseURI), { scope: "./", updateViaCache: "none" });
    const offer = (worker: ServiceWorker): void => {
      onNewVersion(() => {
        container.addEventListener("controllerchange", () => location.reload(), { once: true });
        worker.postMessage("take over");
      });
    };
    const follow = (worker: ServiceWorker | null): void => {
      worker?.addEventListener("statechange", () => {
        if (worker.state === "installed" && isKept()) offer(worker);
      });
    };
    if (registration.waiting && isKept()) offer(registration.waiting);
    follow(registration.installing);
    registration.addEventListener("updatefound", () => follow(registration.installing));
    // A page may be open for days: whoever comes back to it is informed.
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && navigator.onLine) void registration.update().catch(() => undefined);
    });
    void container.ready.then(({ active }) => active?.postMessage("keep the rest"));
    return true;
  } catch {
    return false; // cookies and storage are blocked, or the host does not serve the script
  }
}
