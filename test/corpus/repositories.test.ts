import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FRAMEWORKS } from '../../domain/catalog/catalog.ts';
import { nameOf } from './report.ts';
import { CORPUS } from './repositories.ts';
import { SAMPLES } from './samples.ts';

describe('the corpus of public repositories', () => {
  it('has 40 at least, and eight of each framework', () => {
    assert.ok(CORPUS.length >= 40);
    for (const framework of FRAMEWORKS) {
      const count = CORPUS.filter((row) => row.framework === framework).length;
      assert.ok(count >= 8, `${framework}: ${count}`);
    }
  });

  it('names each once, by a whole commit and a folder inside it', () => {
    assert.equal(new Set(CORPUS.map(nameOf)).size, CORPUS.length);
    for (const { repository, commit, directory } of CORPUS) {
      assert.match(repository, /^[\w.-]+\/[\w.-]+$/);
      assert.match(commit, /^[0-9a-f]{40}$/);
      assert.doesNotMatch(directory ?? '', /^\/|\.\.|\/$/);
    }
  });

  it('says of each that is not to go live what it needs', () => {
    const silent = [...CORPUS, ...SAMPLES].filter(
      ({ expected, needs }) => (expected === 'live') !== (needs === undefined),
    );
    assert.deepEqual(silent.map(nameOf), []);
  });
});
