import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { externalImages } from '../../../adapters/docker/external-images.ts';

const TABLE: readonly [string, readonly string[], readonly string[]][] = [
  ['one image', ['FROM node:24-alpine'], ['node:24-alpine']],
  ['stages are no images', ['FROM node:24 AS build', 'FROM build', 'COPY --from=BUILD /a /b'], ['node:24']],
  ['a stage by number', ['FROM node:24', 'FROM alpine', 'COPY --from=0 /a /b'], ['node:24', 'alpine']],
  ['copied from an image', ['FROM scratch', 'COPY --chown=1:1 --from=nginx:1.28 /a /b'], ['nginx:1.28']],
  ['mounted from an image', ['FROM alpine', 'RUN --mount=type=bind,from=busybox,target=/x ls'], ['alpine', 'busybox']],
  ['a default of an ARG', ['ARG V=24', 'ARG B=alpine', `FROM node:\${V}-$B`], ['node:24-alpine']],
  ['a default in place', [`FROM node:\${V:-22}`], ['node:22']],
  ['a variable without a value', ['ARG V', 'FROM node:$V'], []],
  ['a default in place of an empty one', ['ARG V=', `FROM \${V:-nginx}`], ['nginx']],
  ['a platform', ['FROM --platform=linux/amd64 node:24 AS x'], ['node:24']],
  ['each once', ['FROM node:24 AS a', 'FROM node:24 AS b'], ['node:24']],
  ['an empty file', [''], []],
];

describe('externalImages', () => {
  for (const [name, lines, images] of TABLE) {
    it(name, () => assert.deepEqual(externalImages(lines.join('\n')), images));
  }
});
