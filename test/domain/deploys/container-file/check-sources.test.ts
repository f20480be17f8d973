// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of container files are written so.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSources } from '../../../../domain/deploys/container-file/check-sources.ts';
import { FairleadError } from '../../../../domain/errors.ts';

const POLICY = {
  registry: 'localhost:5050',
  repository: 'localhost:5050/shop-3k',
  cacheScope: 'acme/shop',
  fileName: 'Dockerfile',
};

const check = (text: string) => checkSources(text, POLICY);

/** The message of the refusal; `allowed` when there is none. */
function verdict(text: string): string {
  try {
    check(text);
    return 'allowed';
  } catch (error) {
    assert.ok(error instanceof FairleadError);
    assert.equal(error.code, 'CONTAINER_FILE_INVALID');
    return error.message;
  }
}

/** A container file, and the words of its refusal. */
const REFUSED: Readonly<Record<string, readonly [string, RegExp]>> = {
  'ADD of an address': ['FROM a\nADD http://127.0.0.1:8233/ /x', /^Dockerfile:2: ADD of an address/],
  'ADD of an address in capitals': ['FROM a\nadd HTTPS://x/y /x', /ADD of an address/],
  'ADD of several, one of them an address': ['FROM a\nADD a.txt ftp://x/y /x/', /ADD of an address/],
  'ADD of an address in JSON': ['FROM a\nADD ["http://x/y", "/x"]', /ADD of an address/],
  'ADD of an address in quotes': ['FROM a\nADD "http://x/y" /x', /ADD of an address/],
  'ADD of an address over two lines': ['FROM a\nADD --chown=1 \\\n  http://x/y /x', /ADD of an address/],
  'ADD of git over ssh': ['FROM a\nADD git@github.com:a/b.git /x', /ADD of an address/],
  'ADD of git without a scheme': ['FROM a\nADD github.com/a/b /x', /ADD of an address/],
  'ADD of a repository by its ending': ['FROM a\nADD host/a.git#main /x', /ADD of an address/],
  'ADD of a variable': ['FROM a\nARG U=http://x/y\nADD $U /x', /write the path without a variable/],
  'ADD in ONBUILD': ['FROM a\nONBUILD ADD http://x/y /x', /ADD of an address/],
  'a builder of its own': ['# syntax=evil.example/frontend\nFROM a', /^Dockerfile:1: # syntax=.* remove the line/],
  'a builder of its own after other comments': [
    '# hello\n\n#Syntax = evil/frontend:1\nFROM a',
    /^Dockerfile:3: # syntax/,
  ],
  'a builder of its own after a shebang': ['#!/usr/bin/env docker\n# syntax=evil/frontend\nFROM a', /# syntax/],
  'a name that only looks official': ['# syntax=docker/dockerfile-upstream:master\nFROM a', /# syntax/],
  'an image of another service': ['FROM localhost:5050/other:prod', /platform's registry and not of this service/],
  'a service whose name begins alike': ['FROM localhost:5050/shop-admin:prod', /platform's registry/],
  'a misspelt instruction': ['FROM a\nCOPPY . .', /unknown instruction COPPY; did you mean COPY\?/],
  'an earlier service of that name, or another’s': ['FROM localhost:5050/shop-4m:prod', /platform's registry/],
  'a path below the own repository': ['FROM localhost:5050/shop/x:prod', /platform's registry/],
  'the registry in capitals': ['FROM LOCALHOST:5050/other:prod', /platform's registry/],
  'the registry by its number': ['FROM 127.0.0.1:5050/other:prod', /named by an address/],
  'the registry by a name for it': ['FROM registry.localhost:5050/other:prod', /named by an address/],
  'the registry by IPv6': ['FROM [::1]:5050/other:prod', /named by an address/],
  'the registry by its number in hexadecimal': ['FROM 0x7f000001:5050/other:prod', /named by an address/],
  'an image by its id': ['FROM sha256:0123456789abcdef', /by its id/],
  'an image by a short id': ['FROM 0123456789ab', /by its id/],
  'another image by a variable': ['ARG I=localhost:5050/other:prod\nFROM $I', /platform's registry/],
  'another image by two variables': ['ARG H=localhost:5050\nARG I=${H}/other\nFROM $I', /platform's registry/],
  'an image by a variable nobody sets': ['FROM $I', /give its ARG a default/],
  'another image by the default of a variable': ['FROM ${I:-localhost:5050/other:prod}', /platform's registry/],
  'another image by COPY': ['FROM a\nCOPY --from=localhost:5050/other:prod /a /b', /platform's registry/],
  'another image by a mount': ['FROM a\nRUN --mount=from=localhost:5050/other:p,target=/m ls', /platform's registry/],
  'another image by a second mount': [
    'FROM a\nRUN --mount=type=tmpfs,target=/t --mount=FROM=0123456789ab,target=/m ls',
    /by its id/,
  ],
  'a mount in quotes': ['FROM a\nRUN --mount=type=bind,"from=localhost:5050/other",target=/m ls', /without/],
  'a mount of a variable type': ['FROM a\nARG T=cache\nRUN --mount=type=$T,target=/m ls', /write the type out/],
  'a mount in ONBUILD': ['FROM a\nONBUILD RUN --mount=from=0123456789ab,target=/m ls', /by its id/],
  'the network of the machine': ['FROM a\nRUN --network=host ls', /RUN --network=host is not given/],
  'a container without bounds': ['FROM a\nRUN --security=insecure ls', /RUN --security is not given/],
  'a key of the machine': ['FROM a\nRUN --mount=type=ssh git clone x', /type=ssh has no key here/],
};

const ALLOWED: Readonly<Record<string, string>> = {
  'ordinary stages':
    'FROM node:24 AS build\nCOPY . .\nRUN npm ci\nFROM node:24\nCOPY --from=build /app /app\nCOPY --from=0 /a /b',
  'a stage that is called like an id': 'FROM node:24 AS cafe\nFROM node:24\nCOPY --from=cafe /a /b',
  'the own repository': 'FROM localhost:5050/shop-3k:prod-1\nCOPY --from=localhost:5050/shop-3k@sha256:abc /a /b',
  'registries of others': 'FROM ghcr.io/acme/base:1\nCOPY --from=quay.io/a/b:2 /a /b\nFROM registry.example.com:5000/x',
  scratch: 'FROM scratch\nCOPY a /a',
  'ADD of files': 'FROM a\nADD app.tar.gz /app/\nADD ["a b", "/c"]\nADD --chown=1:1 src dst/',
  'an address that is only spoken of':
    'FROM a\nRUN echo "ADD http://x /y" && wget http://x/y\nRUN <<EOF\nADD http://x /y\nEOF',
  'a named version of the default builder': '# syntax=docker/dockerfile:1.7\nFROM a',
  'a comment further down': 'FROM a\n# syntax=evil/frontend\nRUN ls',
  'ARGs in quotes, several in a line, and one without a default':
    'ARG NODE="24" OS=alpine\nARG OPTIONS="--title=\'a b\'"\nARG BUILD_DATE\nFROM node:${NODE}-$OS',
  'flags of every kind':
    'FROM --platform=$BUILDPLATFORM a\nCOPY --chown=1:1 \\\n  --chmod=0755 --link x /y\nHEALTHCHECK --interval=5s CMD x',
  'an image by a variable with a default': 'ARG NODE=24\nFROM node:${NODE}-alpine\nFROM ${BASE:-debian:12}',
};

describe('what a container file may take from outside', () => {
  for (const [name, [text, words]] of Object.entries(REFUSED)) {
    it(`refuses ${name}`, () => assert.match(verdict(text), words));
  }

  for (const [name, text] of Object.entries(ALLOWED)) {
    it(`allows ${name}`, () => assert.equal(verdict(text), 'allowed'));
  }

  it('knows images of a registry at Docker Hub by each of their names', () => {
    for (const registry of ['docker.io/acme', 'acme', 'index.docker.io/acme']) {
      const policy = { ...POLICY, registry, repository: `${registry}/shop-3k` };
      for (const name of ['acme/other:prod', 'docker.io/acme/other:prod', 'index.docker.io/ACME/other@sha256:abc']) {
        assert.throws(() => checkSources(`FROM ${name}`, policy), /platform's registry/, `${name} of ${registry}`);
      }
      for (const name of [
        'node:24',
        'docker.io/library/node:24',
        'acme2/x',
        'ghcr.io/acme/x',
        `${registry}/shop-3k:1`,
      ]) {
        assert.equal(checkSources(`FROM ${name}`, policy).changes.length, 0, name);
      }
    }
  });

  it('leaves a file without directive and caches byte for byte', () => {
    const text = 'FROM node:24\r\n\r\n# a\r\nRUN npm ci\r\n';
    assert.deepEqual(check(text), { text, changes: [] });
  });

  it('uses the builder of the engine where the default one is named, and says so', () => {
    const { text, changes } = check('# syntax=docker/dockerfile:1\nFROM a\n');
    assert.equal(text, '#\nFROM a\n');
    assert.match(changes.join(), /line 1: the engine's own builder is used instead of docker\/dockerfile:1/);
  });

  it('gives every cache an id that no other service has', () => {
    const { text, changes } = check(
      'FROM a\nRUN --mount=type=cache,target=/root/.npm \\\n    --mount=target=/k,id=x,type=CACHE,sharing=locked npm ci\n' +
        'RUN --mount=type=cache,dst=/d,ro echo --mount=type=cache\nONBUILD RUN --mount=type=cache,target=/o ls\n',
    );
    assert.equal(
      text,
      'FROM a\nRUN --mount=type=cache,target=/root/.npm,id=acme/shop//root/.npm \\\n' +
        '    --mount=target=/k,id=acme/shop/x,type=CACHE,sharing=locked npm ci\n' +
        'RUN --mount=type=cache,dst=/d,ro,id=acme/shop//d echo --mount=type=cache\n' +
        'ONBUILD RUN --mount=type=cache,target=/o,id=acme/shop//o ls\n',
    );
    assert.deepEqual(changes, ['cache mounts have ids of their own, beginning with acme/shop']);
  });
});
