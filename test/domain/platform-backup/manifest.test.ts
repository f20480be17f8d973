import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import {
  type ManifestContent,
  namesOfKeys,
  proveManifest,
  requireKeys,
  requireReadable,
  writeManifest,
} from '../../../domain/platform-backup/manifest.ts';

const manifestKey = randomBytes(32);
const KEYS = { IDP_ENCRYPTION_KEY: 'a'.repeat(44), STACK_ID: '0badcafe' };

const content = (changes: Partial<ManifestContent> = {}): ManifestContent => ({
  format: 1,
  id: 'pbk_x',
  tier: 'daily',
  startedAt: '2026-05-04T02:15:00.000Z',
  completedAt: '2026-05-04T02:16:00.000Z',
  version: '0.3.0',
  parts: [{ name: 'database/idp', file: 'database-idp-0.sealed', bytes: 7, sha256: '0'.repeat(64) }],
  keys: [...namesOfKeys(KEYS, manifestKey)],
  sealedKeys: 'a.b.c.d.e',
  ...changes,
});

const readManifest = (text: string, key: Uint8Array, version: string) =>
  requireReadable(proveManifest(text, key), version);
/** Of a version that writes what this one does not know. */
const written = (changes: object) => writeManifest({ ...content(), ...changes } as ManifestContent, manifestKey);

const refuses = (read: () => unknown, message: RegExp) =>
  assert.throws(
    read,
    (error) => error instanceof FairleadError && error.code === 'NOT_RESTORABLE' && message.test(error.message),
  );

describe('the manifest of a backup of the platform', () => {
  it('is read as it was written, by its own key alone', () => {
    const text = writeManifest(content(), manifestKey);
    const { mac: _, ...read } = readManifest(text, manifestKey, '0.3.0');
    assert.deepEqual(read, content());
    refuses(() => readManifest(text, randomBytes(32), '0.3.0'), /was changed, or belongs to another recovery key/);
  });

  it('is refused when anything of it was changed', () => {
    const text = writeManifest(content(), manifestKey);
    for (const [from, to] of [
      ['"bytes": 7', '"bytes": 8'],
      ['pbk_x', 'pbk_y'],
      ['a.b.c.d.e', 'a.b.c.d.f'],
    ] as const) {
      refuses(() => readManifest(text.replace(from, to), manifestKey, '0.3.0'), /was changed/);
    }
    refuses(() => readManifest(text.slice(0, -30), manifestKey, '0.3.0'), /not one of a backup/);
    refuses(() => readManifest('{"format":1,"version":"0.3.0"}', manifestKey, '0.3.0'), /not one of a backup/);
    refuses(() => readManifest(written({ keys: 'none' }), manifestKey, '0.3.0'), /damaged/);
  });

  it('of a newer version or format is proven, and refused by its name', () => {
    const newer = writeManifest(content({ version: '0.4.0' }), manifestKey);
    refuses(() => readManifest(newer, manifestKey, '0.3.9'), /made by version 0\.4\.0 .* this is 0\.3\.9/);
    refuses(() => readManifest(written({ format: 2, new: [] }), manifestKey, '0.3.0'), /in format 2/);
    assert.equal(readManifest(writeManifest(content(), manifestKey), manifestKey, '1.0.0').id, 'pbk_x');
  });

  it('says nothing of what somebody else wrote, and has a version that is one', () => {
    for (const forged of [
      { format: 9, version: '\u001b[2J\u001b]0;all is well\u0007 9.9.9' },
      { ...content(), format: 2, version: '9.9.9', mac: '0'.repeat(64) },
    ]) {
      refuses(
        () => readManifest(JSON.stringify(forged), manifestKey, '0.3.0'),
        /^Its manifest (is not one of a backup of the platform|was changed, or belongs to another recovery key)$/,
      );
    }
    for (const version of ['9', 'v1.2.3', '1.2.3 ', '1.2.3-\u001b[2J'])
      refuses(() => readManifest(written({ version }), manifestKey, '0.3.0'), /of a format that this version does not/);
    assert.equal(readManifest(written({ version: '0.3.0-rc.1' }), manifestKey, '0.3.0').version, '0.3.0-rc.1');
  });

  it('names each key that is missing or another one, and tells nothing of them', () => {
    requireKeys(content(), KEYS, manifestKey);
    refuses(() => requireKeys(content(), { STACK_ID: KEYS.STACK_ID }, manifestKey), /: IDP_ENCRYPTION_KEY$/);
    refuses(() => requireKeys(content(), { ...KEYS, STACK_ID: 'x' }, manifestKey), /: STACK_ID$/);
    assert.equal(JSON.stringify(content()).includes(KEYS.IDP_ENCRYPTION_KEY), false);
  });
});
