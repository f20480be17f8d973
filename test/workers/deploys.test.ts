import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSection } from '../../adapters/env.ts';
import { grantable } from '../../domain/deploys/build-slots.ts';
import type { SlotRequested } from '../../domain/deploys/messages.ts';
import { deploys } from '../../workers/deploys.ts';

/** Undos, clean-ups, the end of a build that was cancelled and the upkeep of all services. */
const BESIDE_BUILDS = 15;

test('a worker runs an activity of every build that is under way at most, and others beside them', () => {
  for (const limit of [1, 3, 64]) {
    const builds: SlotRequested[] = [];
    const ask = (): SlotRequested => {
      const id = String(builds.length);
      return { buildId: id, workflowId: id, environment: 'prod', org: `org-${id}`, limit };
    };
    while (grantable([ask()], builds, limit) !== null) builds.push(ask());
    const slots = deploys.slots(readSection(deploys.section, { BUILD_CONCURRENCY: String(limit) }));
    assert.ok(slots >= builds.length + BESIDE_BUILDS, `${slots} slots for ${builds.length} builds`);
  }
});
