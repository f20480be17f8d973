import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { projectRoot } from '../../infra/dev/project.ts';

/** What `fairlead doctor` answers to words that it does not examine the machine for. */
function doctor(...args: readonly string[]) {
  const flags = ['--disable-warning=ExperimentalWarning', join(projectRoot, 'infra', 'dev', 'doctor.ts')];
  return spawnSync(process.execPath, [...flags, ...args], { encoding: 'utf8' });
}

it('--help and -h tell how doctor is used', () => {
  for (const option of ['--help', '-h']) {
    const { status, stdout, stderr } = doctor(option);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^Usage: fairlead doctor \[options\]\n[\s\S]*--json/);
  }
});

it('an option that doctor does not have is named in one line', () => {
  const { status, stdout, stderr } = doctor('--quiet');
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^fairlead: Unknown option '--quiet'.*\n$/);
});
