import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchesRef, parsePathGlob, parsePattern, parseRef, skipMark } from '../../../domain/git-hooks/rule.ts';

describe('rules of pushes', () => {
  it('match branches and tags by name, or by stars', () => {
    const rows: readonly [pattern: string, name: string, matches: boolean][] = [
      ['main', 'main', true],
      ['main', 'maintenance', false],
      ['main', 'x/main', false],
      ['*', 'any/thing', true],
      ['release/*', 'release/2.1', true],
      ['release/*', 'release/2/1', true],
      ['release/*', 'releases/1', false],
      ['*-stable', '2.1-stable', true],
      ['*-stable', '2.1-stable-2', false],
      ['v*.*', 'v1.2', true],
      ['v*.*', 'v12', false],
      ['a*b*c', 'abc', true],
      ['a*b*c', 'acb', false],
      ['ab*ba', 'aba', false],
    ];
    for (const [pattern, name, matches] of rows) {
      assert.equal(matchesRef({ kind: 'branch', pattern }, { kind: 'branch', name }), matches, `${pattern} ${name}`);
      assert.equal(matchesRef({ kind: 'tag', pattern }, { kind: 'branch', name }), false);
    }
  });

  it('match in little time, whatever the pattern is', () => {
    const name = 'a'.repeat(250);
    const pattern = `${'a*'.repeat(120)}b`;
    const before = process.cpuUsage().user;
    for (let times = 0; times < 1_000; times += 1) matchesRef({ kind: 'branch', pattern }, { kind: 'branch', name });
    assert.ok(process.cpuUsage().user - before < 2_000_000);
  });

  it('are about names that git takes', () => {
    for (const good of ['main', 'release/*', '*', 'v*', 'feature/über']) assert.equal(parsePattern(good, 'p'), good);
    for (const bad of [
      '',
      '-x',
      'a..b',
      'a b',
      'a\u0007',
      'refs/heads/main',
      '/a',
      'a/',
      '**',
      'a.lock',
      'a[b]',
      '?',
    ]) {
      assert.throws(
        () => parsePattern(bad, 'rules.0.pattern'),
        /rules\.0\.pattern: give the name/,
        JSON.stringify(bad),
      );
    }
  });

  it('watch paths below the root', () => {
    for (const good of ['src/**', '!docs/**', 'package.json', '**/*.ts', 'a b/c']) {
      assert.equal(parsePathGlob(good, 'p'), good);
    }
    for (const bad of [
      '',
      '!',
      '/etc',
      '../x',
      'a/../b',
      '..',
      ':(exclude)a',
      '!:(top)a',
      'a\u0000b',
      'a\\b',
      'x'.repeat(301),
    ]) {
      assert.throws(() => parsePathGlob(bad, 'p'), { code: 'VALIDATION_FAILED' }, JSON.stringify(bad));
    }
  });

  it('know branches and tags by their full names, and nothing else', () => {
    assert.deepEqual(parseRef('refs/heads/a/b'), { kind: 'branch', name: 'a/b' });
    assert.deepEqual(parseRef('refs/tags/v1'), { kind: 'tag', name: 'v1' });
    for (const text of [
      'main',
      'refs/pull/1/head',
      'refs/heads/',
      'refs/heads/a b',
      'refs/heads/../x',
      'refs/heads/\u0007',
    ]) {
      assert.equal(parseRef(text), null, text);
    }
  });

  it('leave commits out whose message asks for it', () => {
    assert.equal(skipMark('Fix docs [skip deploy]'), '[skip deploy]');
    assert.equal(skipMark('Fix docs\n\n[Skip CI]'), '[skip ci]');
    assert.equal(skipMark('Explain how to skip ci'), null);
  });
});
