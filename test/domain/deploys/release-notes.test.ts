import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MOST_CHARACTERS, notesOfChangelog, notesOfCommits } from '../../../domain/deploys/release-notes.ts';

describe('release notes', () => {
  const cases: readonly [name: string, text: string, notes: string | null, version: string | null][] = [
    ['the newest section', '# Changelog\n\n## 1.2.0\n\n- new\n\n## 1.1.0\n- old\n', '- new', '1.2.0'],
    ['a linked version with a date', '## [v2.0.0-rc.1] - 2026-05-04\n- a\n', '- a', '2.0.0-rc.1'],
    ['what is not released yet, when it says something', '## Unreleased\n- next\n## 1.0.0\n- old', '- next', null],
    ['the section after an empty one', '## [Unreleased]\n\n## 1.0.0\n- old', '- old', '1.0.0'],
    ['headings below the section', '## 1.0.0\n### Added\n- a', '### Added\n- a', '1.0.0'],
    ['lines that end as on Windows', '## 1.0.0\r\n- a\r\n- b\r\n', '- a\n- b', '1.0.0'],
    ['a file without sections', '# What is new\n\n- all\n', '- all', null],
    ['an empty file', '\n', null, null],
    ['empty sections', '## 1.0.0\n## 0.9.0\n', null, null],
    ['what a terminal would obey', '## 1.0.0\n- \u001b[31mred\u0007', '- [31mred', '1.0.0'],
  ];
  for (const [name, text, notes, version] of cases) {
    it(`are, of ${name}`, () => {
      assert.deepEqual(notesOfChangelog(text), notes === null ? null : { notes, version });
    });
  }

  it('are cut where they are longer than what travels with a build', () => {
    const cut = notesOfChangelog(`## 1.0.0\n${'x'.repeat(MOST_CHARACTERS * 2)}`);
    assert.deepEqual([cut?.notes.length, cut?.notes.endsWith('\n…')], [MOST_CHARACTERS, true]);
  });

  it('have no version where it is too long to be one', () => {
    assert.deepEqual(notesOfChangelog(`## 1.0.0-${'a'.repeat(1_000_000)}\n- a`), { notes: '- a', version: null });
  });

  it('are the subjects of commits as a list, each on one line', () => {
    assert.deepEqual(notesOfCommits(['fix: a', 'feat:\tb\nc']), { notes: '- fix: a\n- feat: b c', version: null });
    assert.equal(notesOfCommits([]), null);
  });
});
