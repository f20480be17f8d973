import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SAMPLED_OF } from '../../infra/dev/test-sample.ts';
import { isPlayed } from '../support/is-played.ts';
import { createKillPlan } from './kill-plan.ts';
import { killPoints, VICTIMS, type Victim } from './kill-points.ts';

const STEPS = ['source', 'install', 'monitor'];
const CALLS = [
  ['PUT /v1/services/*', 'registry'],
  ['POST /v1/events/emit', 'audit-ledger'],
  ['POST /api/pulse/register', 'MONITOR_URL'],
] as const;

describe('the points of the kill matrix', () => {
  const points = killPoints(STEPS, CALLS);

  it('are each process at each step, and after each call who was called and who called', () => {
    for (const step of STEPS) {
      const victims = points.filter(({ when }) => when.startsWith(`${step} `)).map(({ victim }) => victim);
      assert.deepEqual(victims, [...VICTIMS]);
    }
    const ofCalls = CALLS.map(([call]) => points.filter(({ when }) => when === call).map(({ victim }) => victim));
    assert.deepEqual(ofCalls, [['worker', 'registry'], ['worker', 'api'], ['worker']]);
  });

  it('are all played in three runs, each of which has every step and every process in it', () => {
    const runs = Array.from({ length: SAMPLED_OF }, (_, sample) =>
      points.filter(({ number }) => isPlayed(number, String(sample))),
    );
    assert.deepEqual(new Set(runs.flat()), new Set(points));
    assert.equal(runs.flat().length, points.length);
    for (const run of runs) {
      assert.deepEqual(new Set(run.map(({ victim }) => victim)), new Set(VICTIMS));
      for (const step of STEPS) assert.equal(run.filter(({ when }) => when.startsWith(`${step} `)).length, 2);
    }
  });
});

describe('a plan of kills', () => {
  /** Each kill lasts until the test ends it. */
  const planned = (points: readonly (readonly [when: string, victim: Victim])[], building = 1) => {
    const restarts: (() => void)[] = [];
    const kill = () => new Promise<void>((resolve) => restarts.push(resolve));
    const plan = createKillPlan({
      points: points.map(([when, victim]) => ({ when, victim })),
      kill,
      building: () => building,
      gatherMs: 50,
    });
    const victims = () => plan.kills().map(({ victim }) => victim);
    return { plan, victims, restart: () => restarts.shift()?.() };
  };

  it('kills nobody before it begins, nor at another moment, nor twice at one point', async () => {
    const { plan, victims } = planned([['install begins', 'registry']]);
    assert.equal(await plan.reach('install begins'), false);
    plan.begin();
    assert.equal(await plan.reach('source begins'), false);
    assert.equal(await plan.reach('install begins'), true);
    assert.equal(await plan.reach('install begins'), false);
    assert.deepEqual([victims(), plan.missing()], [['registry'], []]);
  });

  it('kills no process that is down: it is at the point already', async () => {
    const { plan, victims, restart } = planned([
      ['install begins', 'registry'],
      ['monitor begins', 'registry'],
      ['changelog begins', 'registry'],
    ]);
    plan.begin();
    await plan.reach('install begins');
    assert.equal(await plan.reach('monitor begins'), false);
    assert.deepEqual(plan.missing(), ['changelog begins: registry']);
    restart();
    await new Promise(setImmediate);
    assert.equal(await plan.reach('changelog begins'), true);
    assert.deepEqual(victims(), ['registry', 'registry']);
  });

  it('kills one worker for all builds that have come to a point of it', async () => {
    const { plan, victims } = planned(
      [
        ['source is done', 'worker'],
        ['install is done', 'worker'],
      ],
      2,
    );
    plan.begin();
    const first = plan.reach('source is done');
    assert.equal(await plan.reach('source is done'), false, 'another build comes by');
    assert.deepEqual(await Promise.all([first, plan.reach('install is done')]), [true, true]);
    assert.deepEqual([victims(), plan.missing()], [['worker'], []]);
  });

  it('waits for other builds only so long', async () => {
    const { plan, victims } = planned([['source is done', 'worker']], 3);
    plan.begin();
    assert.equal(await plan.reach('source is done'), true);
    assert.deepEqual(victims(), ['worker']);
  });

  it('kills the worker alone: not while another process is down, and no other one meanwhile', async () => {
    const { plan, victims, restart } = planned([
      ['install begins', 'wallet'],
      ['install is done', 'worker'],
      ['monitor begins', 'idp'],
    ]);
    plan.begin();
    await plan.reach('install begins');
    const held = plan.reach('install is done');
    assert.equal(await plan.reach('monitor begins'), false);
    restart();
    assert.equal(await held, true);
    assert.equal(await plan.reach('monitor begins'), false, 'no worker is there that could begin it');
    restart();
    await new Promise(setImmediate);
    assert.equal(await plan.reach('monitor begins'), true);
    assert.deepEqual(victims(), ['wallet', 'worker', 'idp']);
  });

  it('lets a build go on where another process stays down, and comes back to the point', async () => {
    const { plan, victims } = planned([
      ['install begins', 'wallet'],
      ['install is done', 'worker'],
    ]);
    plan.begin();
    await plan.reach('install begins');
    assert.equal(await plan.reach('install is done'), false);
    assert.deepEqual([victims(), plan.missing()], [['wallet'], ['install is done: worker']]);
  });
});
