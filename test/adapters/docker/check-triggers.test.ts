import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkTriggers } from '../../../adapters/docker/check-triggers.ts';

const POLICY = { registry: 'localhost:5050', repository: 'localhost:5050/shop-3k' };
const check = (trigger: string) =>
  checkTriggers([{ name: 'base', isStandIn: false, onBuild: [trigger], platform: 'linux/amd64' }], POLICY);

const REFUSED: Readonly<Record<string, readonly [string, RegExp]>> = {
  'an address': ['ADD http://127.0.0.1/ /x', /ADD of an address/],
  'files of another image': ['COPY --from=nginx /a /b', /takes files from a cache or another image/],
  'a directive, which counts in a file of its own': ['# escape=`\nADD h`ttp://127.0.0.1/ /x', /more than one line/],
};

describe('an instruction that a base image adds to the build', () => {
  for (const [name, [trigger, words]] of Object.entries(REFUSED)) {
    it(`is refused with ${name}`, () => assert.throws(() => check(trigger), words));
  }

  it('is taken when it copies from the context and runs programs', () => {
    for (const trigger of ['COPY . /app', 'RUN npm ci', 'ARG NODE_ENV']) check(trigger);
  });
});
