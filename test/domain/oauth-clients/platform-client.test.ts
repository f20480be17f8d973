import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideClientPatch, FIELD_RULES } from '../../../domain/oauth-clients/administration.ts';
import { isPlatformClient } from '../../../domain/oauth-clients/platform-client.ts';
import { PLATFORM_CLIENT_IDS } from '../../../domain/services.ts';
import { clientRecord } from './client-record.ts';

describe('clients of the platform', () => {
  it('are known by their ids', () => {
    for (const clientId of PLATFORM_CLIENT_IDS) assert.ok(isPlatformClient(clientId), clientId);
    for (const clientId of ['shop-prod', 'fairlead-cli-2', 'builder-prod']) assert.ok(!isPlatformClient(clientId));
  });

  it('are changed by nobody, in no field', () => {
    const record = clientRecord({ clientId: 'fairlead-cli' });
    const patch = { name: 'x', redirectUris: ['https://evil.example/cb'], allowedGrantTypes: [], trustedClient: true };
    for (const by of ['owner', 'super_admin', 'super_admin_session'] as const) {
      const { changes, refused } = decideClientPatch(record, patch, by);
      assert.deepEqual(changes, {});
      assert.deepEqual(
        refused,
        Object.keys(FIELD_RULES).filter((field) => field in patch),
      );
    }
  });
});
