import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { Restarts, MOST_RESTARTS, FORGOTTEN_MS } = await load("restarts");

test("what stopped long ago does not count", () => {
  let now = 0;
  const restarts = new Restarts(() => now);
  for (let time = 0; time < MOST_RESTARTS; time += 1) assert.ok(restarts.isWorth());
  assert.ok(!restarts.isWorth());
  now += FORGOTTEN_MS;
  assert.ok(restarts.isWorth());
});
