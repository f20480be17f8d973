import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MOST_CHARACTERS, notesOfChangelog, notesOfCommits } from '../../../domain/deploys/release-notes.ts';

const same = (text: string) => text;

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
      assert.deepEqual(notesOfChangelog(text, same), notes === null ? null : { notes, version });
    });
  }

  it('are cut where they are longer than what travels with a build', () => {
    const cut = notesOfChangelog(`## 1.0.0\n${'x'.repeat(MOST_CHARACTERS * 2)}`, same);
    assert.deepEqual([cut?.notes.length, cut?.notes.endsWith('\n…')], [MOST_CHARACTERS, true]);
  });

  it('have no version where it is too long to be one', () => {
    assert.deepEqual(notesOfChangelog(`## 1.0.0-${'a'.repeat(1_000_000)}\n- a`, same), { notes: '- a', version: null });
  });

  it('are the subjects of commits as a list, each on one line', () => {
    assert.deepEqual(notesOfCommits(['fix: a', 'feat:\tb\nc'], same), {
      notes: '- fix: a\n- feat: b c',
      version: null,
    });
    assert.equal(notesOfCommits([], same), null);
  });

  const HOSTILE: readonly [what: string, subject: string, line: string | null][] = [
    ['a heading', '## Paid out', 'Paid out'],
    ['a list in a list', '- - * + x', 'x'],
    ['a quote', '> said', 'said'],
    ['markup', '<script src=//x>alert(1)</script>', '‹script src=//x›alert(1)‹/script›'],
    ['code', 'use `rm -rf`', "use 'rm -rf'"],
    ['a link', 'see [here](javascript:alert(1))', 'see (here)javascript:alert(1))'],
    ['an image', '![x](https://track.example/p.png)', '(x)https://track.example/p.png)'],
    ['what a terminal would obey', 'a\u001b[31mred\u0007\u009b2J', 'a(31mred2J'],
    ['what reorders a line', 'pay \u202e001\u202c\u2066x\u2069', 'pay 001x'],
    ['what nobody sees', 'a\u200bb\ufeffc', 'ab c'],
    ['more lines by odd line ends', 'a\u2028# b\u2029c\r\nd\u0085e', 'a # b c de'],
    ['nothing but marks', '### ', null],
    ['issues and emoji, which stay', 'fix: #12 in a_b *now* 🚀 é', 'fix: #12 in a_b *now* 🚀 é'],
  ];
  for (const [what, subject, line] of HOSTILE) {
    it(`are plain text, of a subject with ${what}`, () => {
      assert.equal(notesOfCommits([subject], same)?.notes ?? null, line === null ? null : `- ${line}`);
    });
  }

  it('of many long subjects are cut', () => {
    const notes =
      notesOfCommits(
        Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)),
        same,
      )?.notes ?? '';
    assert.deepEqual([notes.length, notes.endsWith('\n…')], [MOST_CHARACTERS, true]);
  });
});
