import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  makeRecoveryKey,
  openRecovery,
  openSealed,
  readRecoveryKey,
  recipientOf,
  sealInstallationKeys,
  unsealInstallationKeys,
} from '../../../adapters/platform-backup/recovery-key.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { chunks, readAll } from '../../ports/archive-store.ts';

const KEYS = { IDP_ENCRYPTION_KEY: randomBytes(32).toString('base64'), STACK_ID: '0badcafe' };
const now = new Date('2026-05-04T00:00:00.000Z');

const refusedBy = (code: string) => (error: unknown) => error instanceof FairleadError && error.code === code;

describe('a recovery key', () => {
  it('opens what a platform encrypted that has its public half alone', async () => {
    const made = await makeRecoveryKey(now);
    const recoveryKey = readRecoveryKey(JSON.stringify(made));
    const value = await sealInstallationKeys(recipientOf(recoveryKey), KEYS);
    const told = Buffer.from(value, 'base64url').toString();
    for (const secret of [made.privateKey.d, KEYS.IDP_ENCRYPTION_KEY]) assert.equal(told.includes(secret), false);
    const recovery = openRecovery(value);
    assert.deepEqual(
      recovery.keys.map(({ name }) => name),
      Object.keys(KEYS),
    );
    assert.deepEqual(await unsealInstallationKeys(recoveryKey, recovery.sealedKeys), KEYS);
    const content = randomBytes(200_000);
    const sealed = await readAll(recovery.seal(chunks(content), 'pbk_1/database/idp'));
    const opened = openSealed(chunks(sealed.subarray(0, 40), sealed.subarray(40)), {
      recoveryKey,
      context: 'pbk_1/database/idp',
    });
    assert.deepEqual(await readAll(opened), content);
  });

  it('that is another one opens neither keys nor parts', async () => {
    const [mine, other] = [await makeRecoveryKey(now), await makeRecoveryKey(now)];
    const recovery = openRecovery(await sealInstallationKeys(recipientOf(mine), KEYS));
    await assert.rejects(unsealInstallationKeys(other, recovery.sealedKeys), refusedBy('NOT_RESTORABLE'));
    const sealed = await readAll(recovery.seal(chunks(randomBytes(10)), 'a'));
    const opening = (options: Parameters<typeof openSealed>[1], bytes = sealed) =>
      readAll(openSealed(chunks(bytes), options));
    await assert.rejects(opening({ recoveryKey: other, context: 'a' }), refusedBy('NOT_RESTORABLE'));
    await assert.rejects(opening({ recoveryKey: mine, context: 'b' }), refusedBy('NOT_RESTORABLE'));
    for (const wrong of [Buffer.alloc(0), Buffer.from('x'), randomBytes(20_000), sealed.subarray(0, 30)]) {
      await assert.rejects(opening({ recoveryKey: mine, context: 'a' }, wrong), refusedBy('NOT_RESTORABLE'));
    }
    assert.equal((await opening({ recoveryKey: mine, context: 'a' })).length, 10);
  });

  it('encrypts the same content anew each time', async () => {
    const recovery = openRecovery(await sealInstallationKeys(recipientOf(await makeRecoveryKey(now)), KEYS));
    const [one, two] = await Promise.all([1, 2].map(() => readAll(recovery.seal(chunks(Buffer.from('same')), 'a'))));
    assert.notDeepEqual(one, two);
  });

  it('is refused where the file or the line is something else', () => {
    for (const text of ['', '{}', 'null', '{"format":1}'])
      assert.throws(() => readRecoveryKey(text), refusedBy('VALIDATION_FAILED'));
    for (const text of ['', 'x', Buffer.from('{}').toString('base64url')]) {
      assert.throws(() => openRecovery(text), refusedBy('VALIDATION_FAILED'));
    }
  });
});
