// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of container files are written so.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mountBuildEnv } from '../../../../domain/deploys/container-file/mount-build-env.ts';

const mounted = (text: string) => mountBuildEnv(text, 'env-1').text;
const at = (folder: string) => ` --mount=type=secret,id=env-1,target=${folder}/.env.production,mode=0444`;

/** A container file, and what it becomes; `<folder>` stands for the mount. */
const CASES: Readonly<Record<string, readonly [string, string]>> = {
  'what follows a copy of the whole context': [
    'FROM a\nWORKDIR /app\nRUN one\nCOPY . .\nRUN two && \\\n  three\nUSER 1\nrun four\n',
    'FROM a\nWORKDIR /app\nRUN one\nCOPY . .\nRUN</app> two && \\\n  three\nUSER 1\nrun</app> four\n',
  ],
  'another folder, in JSON': [
    'FROM a\nCOPY ["./", "/srv/"]\nRUN ["x"]',
    'FROM a\nCOPY ["./", "/srv/"]\nRUN</srv> ["x"]',
  ],
  'the root folder': ['FROM a\nCOPY . /\nRUN x', 'FROM a\nCOPY . /\nRUN<> x'],
  'a relative folder, with variables': [
    'FROM a\nARG DIR=web\nWORKDIR /srv\nWORKDIR $DIR\nCOPY --chown=1 . ./${DIR}/../app\nRUN x',
    'FROM a\nARG DIR=web\nWORKDIR /srv\nWORKDIR $DIR\nCOPY --chown=1 . ./${DIR}/../app\nRUN</srv/web/app> x',
  ],
  'a stage built on one that has it, and no other': [
    'FROM a AS one\nWORKDIR /app\nADD . .\nFROM one AS two\nRUN x\nFROM a\nCOPY --from=two . .\nRUN y',
    'FROM a AS one\nWORKDIR /app\nADD . .\nFROM one AS two\nRUN</app> x\nFROM a\nCOPY --from=two . .\nRUN y',
  ],
  'an instruction with flags and a text of its own': [
    'FROM a\nCOPY . /w\nRUN --mount=type=cache,target=/c <<EOF\nRUN echo\nEOF',
    'FROM a\nCOPY . /w\nRUN</w> --mount=type=cache,target=/c <<EOF\nRUN echo\nEOF',
  ],
  'a folder that would add an option to the mount': [
    'FROM a\nCOPY . /a,type=cache,from=other,target=/v\nRUN x',
    'FROM a\nCOPY . /a,type=cache,from=other,target=/v\nRUN x',
  ],
  'a folder that would add a flag': [
    'FROM a\nCOPY [".", "/a --mount=from=other,target=/v"]\nWORKDIR /b --network=host\nCOPY . .\nRUN x',
    'FROM a\nCOPY [".", "/a --mount=from=other,target=/v"]\nWORKDIR /b --network=host\nCOPY . .\nRUN x',
  ],
  'no copy of the root, no mount': [
    'FROM a\nCOPY package.json src ./\nRUN x',
    'FROM a\nCOPY package.json src ./\nRUN x',
  ],
};

describe('the build-time env file is mounted', () => {
  for (const [name, [text, expected]] of Object.entries(CASES)) {
    it(name, () => {
      const written = expected.replace(/<((?:\/\w+)*)>/g, (_, folder: string) => at(folder));
      assert.equal(mounted(text), written);
      assert.equal(mounted(text).split('\n').length, text.split('\n').length, 'errors name the lines of the author');
    });
  }

  it('and it is told how many instructions see it', () => {
    assert.equal(mountBuildEnv('FROM a\nCOPY . .\nRUN x\nRUN y', 'i').mounts, 2);
    assert.equal(mountBuildEnv('FROM a\nRUN x', 'i').mounts, 0);
  });
});
