import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildLimits, exceeds, limitExceeded, machineShort } from '../../../domain/deploys/build-limits.ts';

const MIB = 1024 ** 2;
const limitsFor = (builds: number) =>
  buildLimits({ processes: 100, memoryBytes: 256 * MIB, diskBytes: MIB, builds }, 1024 * MIB);
const limits = limitsFor(6);
const QUIET = { refusedForks: 0, memoryKills: 0, wasMemoryRefused: false, mostProcesses: 10, mostOfOrg: 10 };

describe('the limits of builds', () => {
  it('all builds that may run at once, at their limits, leave processes', () => {
    for (const builds of [1, 2, 6, 128]) {
      const { ofBuild, ofAllBuilds } = limitsFor(builds);
      assert.ok(ofAllBuilds.processes >= (builds + 1) * ofBuild.processes);
    }
  });

  it('a refused process is charged to a build that has reached its own limit, or whose org has', () => {
    assert.equal(exceeds(QUIET, limits), null);
    assert.equal(exceeds({ ...QUIET, mostProcesses: 100 }, limits), null, 'nothing was refused');
    for (const counts of [
      { mostProcesses: 100, mostOfOrg: 100 },
      { mostProcesses: 90, mostOfOrg: 90 },
      { mostProcesses: 10, mostOfOrg: 199 },
    ]) {
      assert.equal(exceeds({ ...QUIET, refusedForks: 3, ...counts }, limits), 'processes');
    }
  });

  it('a build that had more processes than it may have is charged, though none was refused: they were moved to it', () => {
    assert.equal(exceeds({ ...QUIET, mostProcesses: 101 }, limits), 'processes');
    assert.equal(exceeds({ ...QUIET, mostOfOrg: 201 }, limits), null, 'another one of its org');
  });

  it('what was refused to a build that keeps them is a shortage of the machine', () => {
    assert.equal(exceeds({ ...QUIET, refusedForks: 3 }, limits), null);
    assert.equal(exceeds({ ...QUIET, refusedForks: 3, mostProcesses: 89, mostOfOrg: 120 }, limits), null);
    const { code, retryable, message } = machineShort('processes', 'Line 3 of the container file', "can't fork");
    assert.deepEqual([code, retryable], ['UNAVAILABLE', true]);
    assert.match(message, /^Line 3 of the container file failed while this machine refused it a process.*can't fork$/);
  });

  it('a process that was killed for want of memory is charged to a build whose limit, or whose org’s, refused memory', () => {
    assert.equal(exceeds({ ...QUIET, memoryKills: 1, wasMemoryRefused: true }, limits), 'memory');
    assert.equal(exceeds({ ...QUIET, wasMemoryRefused: true }, limits), null, 'what it was refused was made good');
    assert.equal(exceeds({ ...QUIET, memoryKills: 1 }, limits), null, 'all builds together had none left');
    assert.equal(exceeds({ ...QUIET, refusedForks: 3, memoryKills: 1, wasMemoryRefused: true }, limits), 'memory');
    const { code, retryable, message } = machineShort('memory', 'Line 3 of the container file', 'Killed');
    assert.deepEqual([code, retryable], ['UNAVAILABLE', true]);
    assert.match(message, /had no memory left for all builds that ran, though the build kept its limits.*Killed$/);
  });

  it('a kernel that does not say how many there were leaves the limits of the build and its org', () => {
    assert.equal(exceeds({ ...QUIET, refusedForks: 1, mostProcesses: null, mostOfOrg: null }, limits), 'processes');
  });

  it('a build is told both limits that it may have reached', () => {
    const { message } = limitExceeded('processes', limits, 'Line 3 of the container file');
    assert.match(message, /may have 100 processes at a time, those of all builds of an org 200: start fewer/);
    const ofMemory = limitExceeded('memory', limits, 'Line 3 of the container file');
    assert.match(ofMemory.message, /may use 0.3 GiB of memory, those of all builds of an org 0.4 GiB: let it do less/);
    assert.deepEqual(ofMemory.details, { limit: 'memory', bound: 256 * MIB });
  });
});
