import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRelayImage } from '../../../adapters/docker/relay-image.ts';
import { recordingContext } from '../../ports/workload-runtime.ts';

describe('the image of the containers of the platform', () => {
  it('shows its progress in the log of a build, and no warning about an image that the build did not name', async () => {
    const context = recordingContext();
    const image = createRelayImage({
      ensure: async (names, { onLine }) => {
        onLine('Pulling');
        onLine('It is a stand-in', 'warn');
        return names.map((name) => ({ name, isStandIn: true, onBuild: [], platform: 'linux/amd64' }));
      },
    });
    assert.equal(await image(context), 'node:24-alpine');
    assert.deepEqual(context.lines, ['Pulling']);
  });
});
