import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BuildRequest, BuildSource } from '../../domain/deploys/build.ts';
import type { DeployCommands } from '../../domain/deploys/messages.ts';
import { waitUntil } from '../support/wait-until.ts';
import { buildRequest } from './records.ts';

/** Commands to workflows whose builds stop while they fetch their source, until `whileHeld` is over. */
export interface CommandsUnderTest {
  readonly commands: DeployCommands;
  whileHeld(body: () => Promise<void>): Promise<void>;
  /**
   * Waits until a build fetches its source. The time-skipping server forgets an activity that ends just as it is
   * cancelled: a build is not ended while it still asks for its slot.
   */
  begun(buildId: string): Promise<void>;
  /** Ends a build that has not ended. */
  end(buildId: string): Promise<void>;
}

const git = (commit: string | null): BuildSource => {
  return { kind: 'git', url: 'https://git.example/hello.git', branch: null, commit };
};

/** The same service and environment asked for again. */
const again = ({ service, environment }: BuildRequest, changes: Partial<BuildRequest> = {}): BuildRequest =>
  buildRequest({ service, environment, source: git(null), ...changes });

/** What every {@link DeployCommands} guarantees. */
export function deployCommandsSuite(under: () => CommandsUnderTest): void {
  describe('DeployCommands', () => {
    it('a request starts a build, and the same request sent again gets the same answer', async () => {
      const { commands, whileHeld, end } = under();
      await whileHeld(async () => {
        const request = buildRequest({ source: git(null) });
        const started = { buildId: request.buildId, deduplicated: false, supersededBuildId: null };
        assert.deepEqual(await commands.request(request), started);
        assert.deepEqual(await commands.request(request), started);
        await end(request.buildId);
      });
    });

    it('whoever asks for the same is attached to the build in flight', async () => {
      const { commands, whileHeld, end } = under();
      await whileHeld(async () => {
        const first = buildRequest({ source: git(null) });
        await commands.request(first);
        const attached = { buildId: first.buildId, deduplicated: true, supersededBuildId: null };
        const answers = await Promise.all([again(first), again(first)].map((request) => commands.request(request)));
        assert.deepEqual(answers, [attached, attached]);
        const elsewhere = again(first, { environment: 'uat' });
        assert.equal((await commands.request(elsewhere)).deduplicated, false, 'another environment is another target');
        await end(first.buildId);
        await end(elsewhere.buildId);
      });
    });

    it('whoever skips the conventions is not attached to a build that checks them, nor the other way round', async () => {
      const { commands, whileHeld, begun, end } = under();
      await whileHeld(async () => {
        const checked = buildRequest({ source: git(null) });
        await commands.request(checked);
        await begun(checked.buildId);
        const skipConventionCheck = 'incident 4711';
        const skipping = again(checked, { skipConventionCheck });
        const replaces = (supersededBuildId: string) => ({ deduplicated: false, supersededBuildId });
        const outcome = { buildId: skipping.buildId, ...replaces(checked.buildId) };
        assert.deepEqual(await commands.request(skipping), outcome);
        await begun(skipping.buildId);
        assert.equal((await commands.request(again(checked, { skipConventionCheck }))).deduplicated, true);
        const last = again(checked);
        assert.deepEqual(await commands.request(last), { buildId: last.buildId, ...replaces(skipping.buildId) });
        await end(last.buildId);
      });
    });

    it('something else makes the build in flight obsolete, and the answer says which', async () => {
      const { commands, whileHeld, begun, end } = under();
      await whileHeld(async () => {
        const first = buildRequest({ source: git('a'.repeat(40)) });
        await commands.request(first);
        await begun(first.buildId);
        const second = again(first, { source: git('b'.repeat(40)) });
        const outcome = { buildId: second.buildId, deduplicated: false, supersededBuildId: first.buildId };
        assert.deepEqual(await commands.request(second), outcome);
        await end(second.buildId);
      });
    });

    it('a cancelled build has ended, and there is nothing to cancel in one that has, or never was', async () => {
      const { commands, whileHeld, begun } = under();
      await whileHeld(async () => {
        const { buildId, service, environment, ...request } = buildRequest({ source: git(null) });
        const target = { buildId, service, environment };
        assert.equal(await commands.cancel(target), 'finished', 'never asked for');
        await commands.request({ ...request, ...target });
        await begun(buildId);
        assert.equal(await commands.cancel({ ...target, buildId: 'bld_other' }), 'finished', 'of the same service');
        assert.equal(await commands.cancel(target), 'cancelled');
        await waitUntil('the build is over', async () => (await commands.cancel(target)) === 'finished');
      });
    });

    it('a service is removed, also one that is gone', async () => {
      const { commands } = under();
      const service = { id: 'svc_removed', name: 'removed' };
      assert.equal(await commands.removeService(service), 'removed');
      assert.equal(await commands.removeService(service), 'removed');
    });
  });
}
