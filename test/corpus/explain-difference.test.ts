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

  const script = (start: string, startScript: string) =>
    explainDifference('start', { ...none, start: 'npm run start' }, { ...none, start, startScript });

  it('explains a start script that is run without its package manager, and one whose builds are done before', () => {
    assert.match(script('node app.js', 'node app.js') ?? '', /^the start script itself/);
    assert.match(script('/bin/sh -c exec env A=1 tsx a.ts', 'A=1 tsx a.ts') ?? '', /^the start script itself/);
    assert.match(script('node dist/a.js', 'tsc && node dist/a.js') ?? '', /^the start script itself/);
    assert.match(
      script('/bin/sh -c node a.js; exec serve -s b', 'node a.js; serve -s b') ?? '',
      /^the start script itself/,
    );
  });

  it('explains what a build makes in the place of a start script that serves the source', () => {
    assert.match(script('node dist/api/main.js', 'nx serve') ?? '', /^the start script serves the source/);
    assert.match(script('node dist/api/main.js', 'node server.js') ?? '', /^UNEXPLAINED/);
  });

  it('marks another start than the start script comes to', () => {
    for (const [start, startScript] of [
      ['node other.js', 'node app.js'],
      ['node app.js', 'node app.js --port 3000'],
      ['node app.js', 'node migrate.js || node app.js'],
      ['/bin/sh /app/start.sh', 'node server.js'],
      ['node app.js', ''],
    ] as const) {
      assert.match(script(start, startScript) ?? '', /^UNEXPLAINED/, start);
    }
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
