// Whether a server that has stopped is started again. Knows nothing of VS Code.

export const MOST_RESTARTS = 3;
/** So long ago is another matter. */
export const FORGOTTEN_MS = 3 * 60_000;

/** Counts how often a server has stopped of late. */
export class Restarts {
  private times: number[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** It has stopped once more; whether another start is worth it. */
  isWorth(): boolean {
    const now = this.now();
    this.times = [...this.times.filter((time) => now - time < FORGOTTEN_MS), now];
    return this.times.length <= MOST_RESTARTS;
  }
}
