import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasStarted, type LivePod } from '../../../adapters/kubernetes/cluster-objects.ts';
import {
  explainEnd,
  type PodObject,
  ROLLOUT_FAILURES,
  type RolloutFailureKind,
  type RolloutObjects,
  rolloutFailure,
} from '../../../adapters/kubernetes/rollout-failures.ts';

const NOTHING: RolloutObjects = { deployment: {}, pods: [], events: [] };

/** A pod with one container of 256 MiB, whose status is given. */
function pod(container: object, status: object = {}): PodObject {
  return {
    metadata: { name: 'build-1-5d9c7b8f6d-x2x4z' },
    spec: { containers: [{ resources: { limits: { cpu: '250m', memory: '256Mi' } } }] },
    status: { phase: 'Running', containerStatuses: [{ ready: false, restartCount: 0, ...container }], ...status },
  };
}

/** A deployment whose replica set cannot make its pod, for that reason. */
function refused(message: string): RolloutObjects {
  const conditions = [
    { type: 'Progressing', status: 'True', reason: 'NewReplicaSetCreated' },
    { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message },
  ];
  return { ...NOTHING, deployment: { status: { conditions } } };
}

const ended = (exitCode: number, reason = 'Error') => ({
  terminated: { exitCode, reason, startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:01Z' },
});
const BACK_OFF = {
  waiting: {
    reason: 'CrashLoopBackOff',
    message: 'back-off 10s restarting failed container=app pod=build-1-5d9c7b8f6d-x2x4z_shop-uat(0f0e)',
  },
};

/** Of a pod whose image the node could not pull, with what it said and how often. */
function unpulled(message: string, count: number): RolloutObjects {
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "registry.example/shop@sha256:aa"' };
  return {
    ...NOTHING,
    pods: [pod({ state: { waiting } })],
    events: [
      { type: 'Warning', reason: 'Failed', message: `Failed to pull image "registry.example/shop": ${message}`, count },
    ],
  };
}

/** How each failure shows in the objects of a cluster of version 1.34, and what is said of it. */
const ROWS: readonly (readonly [RolloutFailureKind, RolloutObjects, RegExp])[] = [
  [
    'namespace is not ready',
    refused(
      'pods "build-1-5d9c7b8f6d-x2x4z" is forbidden: status unknown for quota: fairlead, resources: pods,requests.cpu,requests.memory',
    ),
    /^The namespace takes no pods yet: .*status unknown for quota.*tries it again by itself\.$/,
  ],
  [
    'quota exceeded',
    refused(
      'pods "build-1-5d9c7b8f6d-x2x4z" is forbidden: exceeded quota: fairlead, requested: requests.memory=3Gi, used: requests.memory=2Gi, limited: requests.memory=4Gi',
    ),
    /asks for requests\.memory=3Gi, requests\.memory=2Gi is in use, and the bound is requests\.memory=4Gi\. Take a smaller pod tier/,
  ],
  [
    'admission refused',
    refused(
      'pods "build-1-5d9c7b8f6d-x2x4z" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true (pod or container "app" must set securityContext.runAsNonRoot=true)',
    ),
    /^The cluster refuses the pod: .*violates PodSecurity "restricted:latest".*An operator of the cluster/,
  ],
  [
    'unschedulable',
    {
      ...NOTHING,
      pods: [
        pod(
          {},
          {
            phase: 'Pending',
            containerStatuses: [],
            conditions: [
              {
                type: 'PodScheduled',
                status: 'False',
                reason: 'Unschedulable',
                message:
                  '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
              },
            ],
          },
        ),
      ],
    },
    /^No node has room for it: 0\/1 nodes are available: 1 Insufficient cpu.*Add a node, or take a smaller pod tier/,
  ],
  [
    'image cannot be pulled',
    unpulled('failed to resolve reference: dial tcp: lookup registry.example: no such host', 3),
    /^The node cannot pull the image: .*no such host\. Let the nodes reach the registry/,
  ],
  [
    'image is not pulled yet',
    unpulled('failed to resolve reference: dial tcp 10.0.0.1:443: connect: connection refused', 2),
    /^The node could not pull the image: .*connection refused\. It is tried again\.$/,
  ],
  [
    'container cannot be made',
    {
      ...NOTHING,
      pods: [
        pod({
          state: {
            waiting: {
              reason: 'RunContainerError',
              message: 'failed to create containerd task: exec: "nothing": executable file not found in $PATH: unknown',
            },
          },
        }),
      ],
    },
    /^The container cannot be made: .*not found in \$PATH: unknown\. Have the image name a command that exists/,
  ],
  [
    'out of memory',
    { ...NOTHING, pods: [pod({ restartCount: 1, state: BACK_OFF, lastState: ended(137, 'OOMKilled') })] },
    /^The process ran out of memory \(limit 256 MiB\) and was killed; restarted 1 time\. Use a larger pod tier\.$/,
  ],
  [
    'keeps ending',
    { ...NOTHING, pods: [pod({ restartCount: 2, state: BACK_OFF, lastState: ended(3) })] },
    /^The process ended with exit code 3; restarted 2 times\. The last output of the container says why\.$/,
  ],
  [
    'disk limit',
    {
      ...NOTHING,
      pods: [
        pod(
          {},
          {
            phase: 'Failed',
            reason: 'Evicted',
            message: 'Container app exceeded its local ephemeral storage limit "1Gi". ',
          },
        ),
      ],
    },
    /^It wrote more than it may: Container app exceeded its local ephemeral storage limit "1Gi"\. Keep data in a database/,
  ],
  [
    'evicted',
    {
      ...NOTHING,
      pods: [
        {
          ...pod({}),
          status: {
            phase: 'Failed',
            reason: 'Evicted',
            message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. ',
          },
        },
      ],
    },
    /^The node put it out: The node was low on resource: memory.*raise platform\.io\/memory-request/,
  ],
  [
    'probe fails',
    {
      ...NOTHING,
      pods: [pod({ state: { running: { startedAt: '2026-01-01T00:00:00Z' } } })],
      events: [
        {
          type: 'Warning',
          reason: 'Unhealthy',
          message: 'Readiness probe failed: HTTP probe failed with statuscode: 503',
        },
      ],
    },
    /^The container runs and is not ready: Readiness probe failed: HTTP probe failed with statuscode: 503\. Answer the health endpoint/,
  ],
];

describe('failures of a rollout', () => {
  for (const [kind, objects, said] of ROWS) {
    it(`${kind} is told with its remedy`, () => {
      const failure = rolloutFailure(objects);
      assert.equal(failure?.kind, kind);
      assert.match(failure?.message ?? '', said);
    });
  }

  it('each row of the table is tested', () => {
    assert.deepEqual(
      ROWS.map(([kind]) => kind),
      ROLLOUT_FAILURES.map(({ kind }) => kind),
    );
  });

  it('what may pass by itself is waited for, and nothing else', () => {
    const passing = ROLLOUT_FAILURES.filter(({ isFinal }) => !isFinal).map(({ kind }) => kind);
    assert.deepEqual(passing, [
      ...['namespace is not ready', 'unschedulable', 'image is not pulled yet', 'evicted', 'probe fails'],
    ]);
  });

  it('an account that the cluster has not made yet is waited for', () => {
    const message =
      'pods "build-1-5d9c7b8f6d-x2x4z" is forbidden: error looking up service account shop-uat/default: serviceaccount "default" not found';
    assert.equal(rolloutFailure(refused(message))?.isFinal, false);
  });

  it('an image that is not there is not tried again', () => {
    for (const message of [
      'registry.example/shop:1: not found',
      'pull access denied',
      'unexpected status: 401 Unauthorized',
    ]) {
      assert.equal(rolloutFailure(unpulled(message, 1))?.kind, 'image cannot be pulled', message);
    }
  });

  it('a process that could not be started is told in the words of the node, and has not ended', () => {
    const terminated = {
      exitCode: 128,
      reason: 'StartError',
      message: 'exec: "nothing": executable file not found in $PATH',
    };
    const failed = pod({ restartCount: 1, state: BACK_OFF, lastState: { terminated } });
    const failure = rolloutFailure({ ...NOTHING, pods: [failed] });
    assert.equal(failure?.kind, 'container cannot be made');
    assert.match(failure?.message ?? '', /"nothing": executable file not found/);
    assert.equal(hasStarted(failed as LivePod), false);
  });

  it('a pod that its node does not take is told in its words', () => {
    const message =
      'Pod was rejected: Node did not have enough resource: cpu, requested: 400, used: 1900, capacity: 2000';
    const rejected = pod({}, { phase: 'Failed', reason: 'OutOfcpu', message, containerStatuses: undefined });
    const failure = rolloutFailure({ ...NOTHING, pods: [rejected] });
    assert.deepEqual([failure?.kind, failure?.isFinal], ['evicted', false]);
    assert.match(
      failure?.message ?? '',
      /^The node put it out: Pod was rejected: Node did not have enough resource: cpu/,
    );
  });

  for (const message of [
    'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ',
    'Usage of EmptyDir volume "folder-0" exceeds the limit "64Mi". ',
  ]) {
    it(`a pod that wrote too much stays so: ${message}`, () => {
      const gone = pod({}, { phase: 'Failed', reason: 'Evicted', message });
      const failure = rolloutFailure({ ...NOTHING, pods: [gone] });
      assert.deepEqual([failure?.kind, failure?.isFinal], ['disk limit', true]);
      assert.match(failure?.message ?? '', /^It wrote more than it may: .*\. Keep data in a database/);
      const serving = pod({ ready: true, state: { running: { startedAt: new Date().toISOString() } } });
      assert.equal(rolloutFailure({ ...NOTHING, pods: [gone, serving] }), null);
      const writing = pod({ ready: false, state: { running: { startedAt: new Date().toISOString() } } });
      assert.equal(rolloutFailure({ ...NOTHING, pods: [gone, writing] })?.kind, 'disk limit');
    });
  }

  it('of a pod that was put out, nothing hides how the one in its place fares', () => {
    const gone = pod(
      { restartCount: 5, state: ended(137, 'OOMKilled') },
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
    );
    const told = (other: PodObject) => rolloutFailure({ ...NOTHING, pods: [gone, other] })?.kind;
    const serving = pod({ ready: true, state: { running: { startedAt: new Date().toISOString() } } });
    assert.equal(told(serving), undefined);
    assert.equal(told(pod({ restartCount: 1, state: BACK_OFF, lastState: ended(3) })), 'keeps ending');
    assert.equal(told(pod({ state: { waiting: { reason: 'ContainerCreating' } } }, { phase: 'Pending' })), 'evicted');
    const waiting = { reason: 'CreateContainerConfigError', message: 'image will run as root' };
    assert.equal(told(pod({ state: { waiting } }, { phase: 'Pending' })), 'container cannot be made');
    const { pods, events } = unpulled('registry.example/shop:1: not found', 1);
    assert.equal(rolloutFailure({ ...NOTHING, pods: [gone, ...pods], events })?.kind, 'image cannot be pulled');
  });

  it('a pod that starts, one that serves and one that goes are no failure', () => {
    const starting = pod({ state: { waiting: { reason: 'ContainerCreating' } } }, { phase: 'Pending' });
    const serving = pod({ ready: true, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } });
    const going = pod({ restartCount: 2, state: BACK_OFF, lastState: ended(3) });
    for (const one of [starting, serving]) assert.equal(rolloutFailure({ ...NOTHING, pods: [one] }), null);
    const leaving = { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    assert.equal(rolloutFailure({ ...NOTHING, pods: [leaving] }), null);
  });

  it('a process that has run for a while is in no loop, however often it was started before', () => {
    const steady = pod({
      ...{ ready: true, restartCount: 9, lastState: ended(137, 'OOMKilled') },
      state: { running: { startedAt: new Date(Date.now() - 60_000).toISOString() } },
    });
    assert.equal(rolloutFailure({ ...NOTHING, pods: [steady] }), null);
    assert.match(explainEnd(steady) ?? '', /out of memory \(limit 256 MiB\).*restarted 9 times/);
  });
});
