import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSection, readWorkerEnv } from '../../adapters/env.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { createTemporalClient } from '../../adapters/temporal/client.ts';
import { composeModules } from '../../workers/compose-modules.ts';
import { defineModule } from '../../workers/module.ts';
import { MODULES } from '../../workers/modules.ts';

const repeated = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);

/** They need no settings of their own, or say what lacks when they are asked. */
const FOR_EVERY_WORKER = ['deploys', 'logs', 'git-hooks', 'custom-domains', 'platform-backup'];

describe('the modules of the worker', () => {
  it('have names and schedules of their own', () => {
    assert.deepEqual(repeated(MODULES.map(({ name }) => name)), []);
    const schedules = MODULES.flatMap((module) => module.schedules);
    assert.deepEqual(repeated(schedules.map(({ id }) => id)), []);
    assert.ok(schedules.length > 0);
  });

  it('leave their work to others where their settings are missing, which takes a queue of their own', async () => {
    const opened = new AsyncDisposableStack();
    const connect = () => Promise.reject(new Error('nothing is asked for without settings'));
    const client = createTemporalClient({ address: '127.0.0.1:9', namespace: 'default', identity: 'test' });
    opened.defer(() => client.connection.close());
    const logger = createLogger({ name: 'test', level: 'silent' });
    const settings = readWorkerEnv({});
    for (const { name, section, queue, compose } of MODULES) {
      const env = readSection(section, {});
      const composing = compose({ env, settings, connect, client, logger, opened, metrics: null, subprocessEnv: {} });
      if (FOR_EVERY_WORKER.includes(name)) await assert.rejects(composing, /nothing is asked for/, name);
      else assert.deepEqual([await composing, queue], [null, 'own'], name);
    }
    await opened.disposeAsync();
  });

  it('serve their further queues with the same activities, made once, and slots of their own', async () => {
    let made = 0;
    const module = defineModule({
      ...{ name: 'nights', section: {}, schedules: [], queue: 'own', slots: () => 2 },
      moreQueues: [{ name: 'asked', slots: () => 3 }],
      async compose() {
        made += 1;
        return {};
      },
    });
    await using opened = new AsyncDisposableStack();
    const client = createTemporalClient({ address: '127.0.0.1:9', namespace: 'default', identity: 'test' });
    opened.defer(() => client.connection.close());
    const logger = createLogger({ name: 'test', level: 'silent' });
    const settings = readWorkerEnv({});
    const { activityQueues, slots } = await composeModules(
      [module],
      {},
      { settings, client, logger, opened, metrics: null },
    );
    assert.equal(made, 1);
    assert.deepEqual(
      activityQueues.map((queue) => [queue.taskQueue, queue.slots]),
      [
        ['fairlead/nights', 2],
        ['fairlead/asked', 3],
      ],
    );
    assert.equal(activityQueues[0]?.activities, activityQueues[1]?.activities);
    assert.equal(slots, 0);
  });
});
