import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareVersions } from '../../domain/compare-versions.ts';

describe('the order of versions', () => {
  it('is that of Semantic Versioning: prereleases before their release, numbers by value, texts after numbers', () => {
    const ordered = [
      ...['0.9.9', '1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta'],
      ...[
        '1.0.0-beta.2',
        '1.0.0-beta.11',
        '1.0.0-rc.1',
        '1.0.0-rc-2.1',
        '1.0.0',
        '1.0.1-0',
        '1.0.1',
        '1.2.0',
        '1.10.0',
      ],
      ...['2.0.0', '10.0.0'],
    ];
    for (const [index, earlier] of ordered.entries()) {
      assert.equal(compareVersions(earlier, earlier), 0, earlier);
      for (const later of ordered.slice(index + 1)) {
        assert.ok(compareVersions(earlier, later) < 0, `${earlier} before ${later}`);
        assert.ok(compareVersions(later, earlier) > 0, `${later} after ${earlier}`);
      }
    }
  });

  it('counts no build, and a number that is missing as 0', () => {
    assert.equal(compareVersions('1.2.0+build.7', '1.2.0+build.12'), 0);
    assert.equal(compareVersions('1.2.0-rc.1+a', '1.2.0-rc.1'), 0);
    assert.equal(compareVersions('1.2', '1.2.0'), 0);
  });
});
