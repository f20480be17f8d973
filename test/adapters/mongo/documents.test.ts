import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readBuild } from '../../../adapters/mongo/deploys/documents.ts';
import { createIncidentStore } from '../../../adapters/mongo/incidents/incidents.ts';
import { incidentRecord } from '../../ports/incidents/incident-store.ts';
import { buildRecord } from '../../ports/records.ts';
import { createDatabase } from '../../support/in-memory/database/database.ts';

/** A build's document as it is stored, with what another version wrote. */
function documentOf(changes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { id, ...record } = buildRecord({ id: 'bld_other' });
  return { _id: id, ...record, ...changes };
}

describe('a build that another version stored', () => {
  it('is shown with its step that this version does not know', () => {
    const step = {
      ...{ key: 'mesh', title: 'Join the mesh', stage: 'meshing', onFailure: 'ask', state: 'awaiting', reason: null },
      ...{ attempt: 1, startedAt: null, finishedAt: null, warnings: [], run: { activity: 'joinMesh', lanes: 3 } },
    };
    const [shown] = readBuild(documentOf({ steps: [step] })).steps;
    assert.deepEqual(shown, { ...step, stage: 'deploying', onFailure: 'fail', state: 'unknown', run: null });
  });

  it('is shown with steps of version 0.1, which recorded no way to run them', () => {
    const { run: _run, ...old } = { ...buildRecord({ id: 'bld_x' }).steps[0] };
    assert.equal(readBuild(documentOf({ steps: [old] })).steps[0]?.run, null);
  });

  it('is shown with a step that waits to run in a way this version does not know: not as one without work', () => {
    const [first] = buildRecord({ id: 'bld_x' }).steps;
    const run = { ...first?.run, failOpen: [{ system: 'mesh', codes: ['MESH_REFUSED'] }] };
    const [shown] = readBuild(documentOf({ steps: [{ ...first, state: 'pending', run }] })).steps;
    assert.deepEqual([shown?.state, shown?.run], ['unknown', null]);
    const [begun] = readBuild(documentOf({ steps: [{ ...first, state: 'running', run }] })).steps;
    assert.equal(begun?.state, 'running');
  });

  it('is open while nothing ended it, and failed once something did', () => {
    assert.equal(readBuild(documentOf({ status: 'awaiting-grant' })).status, 'queued');
    assert.equal(readBuild(documentOf({ status: 'paused', finishedAt: new Date() })).status, 'failed');
  });

  it('keeps the code and step of its failure, and says no reason that is not known', () => {
    const failure = { code: 'MESH_REFUSED', message: 'the mesh is full', step: 'mesh' };
    const record = readBuild(documentOf({ failure, reason: 'evicted', kind: 'promote' }));
    assert.deepEqual(record.failure, failure);
    assert.equal(record.reason, null);
    assert.equal(record.kind, 'deploy');
  });

  it('is still refused when it is no build at all', () => {
    assert.throws(() => readBuild({ _id: 'bld_1' }));
    assert.throws(() => readBuild(documentOf({ steps: 'none' })));
  });
});

describe('an incident that a worker of another version stored', () => {
  it('is read with its escalation, whose times that worker left in ISO', async () => {
    const { db } = createDatabase().connection;
    const store = createIncidentStore({ db });
    const policy = { steps: [{ waitMinutes: 0, channelIds: ['chn_a'] }], repeat: null };
    const told = [{ step: 0, at: new Date('2026-11-01T10:00:00Z'), channelIds: ['chn_a'] }];
    const incident = incidentRecord({ escalation: { policy, told } });
    await store.put(incident);
    const texts = told.map((step) => ({ ...step, at: step.at.toISOString() }));
    await db.collection('incidents').updateOne({}, { $set: { 'escalation.told': texts } });
    const stored = await db.collection('incidents').findOne({});
    assert.equal(stored?.escalation.told[0].at, '2026-11-01T10:00:00.000Z');
    assert.deepEqual(await store.find(incident.id), incident);
  });
});
