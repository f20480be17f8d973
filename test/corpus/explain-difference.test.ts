import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Commands } from './commands.ts';
import { explainDifference } from './explain-difference.ts';

const none: Commands = { install: null, build: null, start: null, reasons: {} };

describe('the comparison with Nixpacks', () => {
  it('has nothing to explain where both run the same', () => {
    const both = { ...none, build: 'npm run build' };
    assert.equal(explainDifference('build', both, both), null);
  });

  it('explains a start script that is run without its package manager', () => {
    const why = explainDifference('start', { ...none, start: 'npm run start' }, { ...none, start: 'node app.js' });
    assert.match(why ?? '', /^the start script itself/);
  });

  it('tells development packages that are installed from those that are left out', () => {
    const theirs = { ...none, install: 'yarn install --frozen-lockfile' };
    const all = { ...none, install: 'yarn install --frozen-lockfile --production=false' };
    const few = { ...none, install: 'yarn install --frozen-lockfile --production && yarn cache clean' };
    assert.match(explainDifference('install', theirs, all) ?? '', /pruned after the build/);
    assert.match(explainDifference('install', theirs, few) ?? '', /left out/);
  });

  it('explains nothing away where Nixpacks would start an app and we would not', () => {
    const ours = { ...none, reasons: { start: 'no framework is inferred' } };
    const why = explainDifference('install', { ...none, install: 'npm ci', start: 'npm run start' }, ours);
    assert.equal(why, 'UNEXPLAINED: ours would not start: no framework is inferred');
  });

  it('marks a build of theirs that we do not run', () => {
    const why = explainDifference('build', { ...none, build: 'npm run build' }, { ...none, start: 'node app.js' });
    assert.match(why ?? '', /^UNEXPLAINED/);
  });
});
