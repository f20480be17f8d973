import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ARCHIVES } from './archives.ts';
import { CATALOGS } from './catalogs.ts';
import { FOREIGN_SOURCES, HIDDEN_INSTRUCTIONS } from './container-files.ts';
import { REPOSITORIES } from './repositories.ts';
import { SENT } from './tenants.ts';
import { ANSWERS, UPGRADES } from './upstream-answers.ts';

const CONTAINER_FILES = [...FOREIGN_SOURCES, ...HIDDEN_INSTRUCTIONS];
const CORPUS = { CONTAINER_FILES, CATALOGS, ARCHIVES, REPOSITORIES };

const isEachOfItsOwn = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

describe('the hostile corpus', () => {
  it('has 60 container files, catalogs, archives and repositories, each of its own, and some of each', () => {
    const rows = Object.values(CORPUS).flat();
    assert.ok(rows.length >= 60, `${rows.length} rows`);
    for (const [kind, of] of Object.entries(CORPUS)) {
      assert.ok(of.length >= 10, `${kind}: ${of.length}`);
      assert.ok(isEachOfItsOwn(of.map(({ name }) => name)), `${kind}: a name twice`);
    }
    for (const texts of [CONTAINER_FILES, CATALOGS]) assert.ok(isEachOfItsOwn(texts.map(({ text }) => text)));
  });

  it('has 40 answers that a service sends as they are, and those to handshakes, each of its own', () => {
    assert.ok(SENT.answers.length >= 40, `${SENT.answers.length} answers`);
    for (const answers of [ANSWERS, UPGRADES]) {
      assert.ok(isEachOfItsOwn(answers.map(({ name }) => name)));
      assert.ok(isEachOfItsOwn(answers.map(({ bytes, ...row }) => `${'open' in row} ${bytes}`)));
    }
  });

  it('takes no refusal for the one of a row that says nothing of it', () => {
    for (const { name, message } of Object.values(CORPUS).flat()) {
      for (const said of ['', 'The source was refused', 'unexpected error; see the log of the worker']) {
        assert.doesNotMatch(said, message, name);
      }
    }
  });
});
