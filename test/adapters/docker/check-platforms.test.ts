// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of container files are written so.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPlatforms } from '../../../adapters/docker/check-platforms.ts';

const image = (platform: string) => ({ name: 'base', isStandIn: false, onBuild: [], platform });
const check = (file: string, platform = 'linux/amd64') => checkPlatforms(file, [image(platform)], 'linux/amd64');

const REFUSED: Readonly<Record<string, string>> = {
  'one written out': 'FROM --platform=linux/arm64 base',
  'one by a variable': 'ARG P=linux/arm64\nFROM --platform=$P base',
  'a variable of builders with a default of the file':
    'ARG TARGETPLATFORM=linux/arm64\nFROM --platform=$TARGETPLATFORM base',
  'one of many defaults': 'ARG A=1 BUILDPLATFORM=linux/arm64\nFROM --platform=${BUILDPLATFORM} base',
  'a default in the place': 'FROM --platform=${P:-linux/arm64} base',
  'what a set variable gives': 'FROM --platform=${BUILDPLATFORM:+linux/arm64} base',
  'parts of one': 'FROM --platform=linux/${TARGETARCH} base',
  'one of two stages': 'FROM base AS a\nFROM --PLATFORM=linux/386 base',
};

describe('the platform of base images', () => {
  for (const [name, file] of Object.entries(REFUSED)) {
    it(`is the engine's: refused with ${name}`, () =>
      assert.throws(() => check(file), { code: 'CONTAINER_FILE_INVALID' }));
  }

  it("is the engine's: refused for an image that says another, whatever the file says", () => {
    for (const platform of ['linux/arm64', 'linux/amd64/v3', 'windows/amd64', '']) {
      assert.throws(() => check('FROM base', platform), { code: 'CONTAINER_FILE_INVALID' });
    }
  });

  it("may be written out, as the engine's own or by the variables of builders", () => {
    for (const platform of ['linux/amd64', '$BUILDPLATFORM', '${TARGETPLATFORM}', '$P']) {
      check(`ARG P=linux/amd64\nARG BUILDPLATFORM\nFROM --platform=${platform} base\n`);
    }
  });
});
