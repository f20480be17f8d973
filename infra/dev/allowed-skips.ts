import type { Skip } from './test-tally.ts';

/** A test that may be skipped, and where. Any other skip fails the run: a guarantee that is not checked is none. */
export interface AllowedSkip {
  readonly file: string;
  readonly name: string;
  readonly because: string;
}

const NEEDS_ROOT = 'only root may run a program as somebody else';
const NO_TWINS = 'newer container engines refuse a second network of one name by themselves';
const NO_GITEA = 'Gitea is built in minutes where it cannot be downloaded, and needs a C compiler there';
const NO_VERSITYGW = 'the Versity S3 Gateway is built in minutes, and needs Go there';
const NO_STEP_CA = 'step-ca is built in minutes, and needs Go there';
const NO_SCHEMATHESIS = 'Schemathesis needs Python 3.10 with pip';

const NO_IMAGE = 'the image of the platform is built in minutes: "npm test -- infra/image" and --every build it';
const NO_HELM = 'Helm is built in minutes where it cannot be downloaded, and needs Go there';

const NO_CLUSTER =
  'a cluster needs root on Linux and programs that are built in minutes, and its tests take ten: "npm run cluster -- up" fetches them, and "npm test -- kubernetes" plays the tests';

const NEEDS_MONGODB =
  'the stand-in has one user: FAIRLEAD_TEST_MONGODB_URI of a MongoDB runs it. What runs without it is proven on the stand-in';
const NEEDS_NEO4J =
  'only the Enterprise Edition of Neo4j has several databases: FAIRLEAD_TEST_NEO4J_URI of one runs it. What runs without it is proven on a stand-in';
const NEEDS_STAND_IN = 'it is about the stand-in, and FAIRLEAD_TEST_MONGODB_URI names a MongoDB';

export const ALLOWED_SKIPS: readonly AllowedSkip[] = [
  {
    file: 'test/adapters/workspace/workspace.test.ts',
    name: 'removes read-only trees without being root',
    because: NEEDS_ROOT,
  },
  {
    file: 'test/adapters/git/git-source-fetcher.test.ts',
    name: 'fetches from a local fx.repository that belongs to somebody else',
    because: NEEDS_ROOT,
  },
  {
    file: 'test/adapters/docker/workload-network.test.ts',
    name: 'of two networks of one name the one that containers are on stays, even the newer one',
    because: NO_TWINS,
  },
  {
    file: 'test/adapters/docker/workload-network.test.ts',
    name: 'of two networks of one name the older one stays, whoever looks',
    because: NO_TWINS,
  },
  { file: 'test/adapters/git-host/gitea.test.ts', name: 'a real Gitea', because: NO_GITEA },
  { file: 'test/adapters/git/token-of-org.test.ts', name: 'GIT_TOKEN at a real Gitea', because: NO_GITEA },
  { file: 'test/e2e/push-to-deploy.test.ts', name: 'a push to a git host', because: NO_GITEA },
  {
    file: 'test/e2e/kill-push.alone.test.ts',
    name: 'pushes during which a process is killed at each step',
    because: NO_GITEA,
  },
  { file: 'test/api/git-hooks/killed-half-way.test.ts', name: 'the same at a real Gitea', because: NO_GITEA },
  {
    file: 'test/adapters/git-host/repository-access.test.ts',
    name: 'roles on repositories of a real Gitea',
    because: NO_GITEA,
  },
  {
    file: 'test/adapters/mongodb-server/database-server.test.ts',
    name: 'databases on a real MongoDB',
    because: NEEDS_MONGODB,
  },
  {
    file: 'test/adapters/mongodb-server/database-server.test.ts',
    name: 'the stand-in is told apart from a server with users',
    because: NEEDS_STAND_IN,
  },
  {
    file: 'test/e2e/databases-mongodb.test.ts',
    name: 'a service with a MongoDB database, and one that uses it',
    because: NEEDS_MONGODB,
  },
  {
    file: 'test/adapters/neo4j/database-server.test.ts',
    name: 'databases on a real Neo4j',
    because: NEEDS_NEO4J,
  },
  {
    file: 'test/adapters/kubernetes/workload-runtime.test.ts',
    name: 'workloads on a real cluster',
    because: NO_CLUSTER,
  },
  {
    file: 'test/adapters/kubernetes/deploys.test.ts',
    name: 'deploys to a real cluster',
    because: NO_CLUSTER,
  },
  { file: 'test/infra/image/platform-image.test.ts', name: 'the platform from its image', because: NO_IMAGE },
  { file: 'test/infra/kubernetes/chart.test.ts', name: 'the chart as Helm renders it', because: NO_HELM },
  { file: 'test/infra/kubernetes/chart-install.test.ts', name: 'the chart on a real cluster', because: NO_CLUSTER },
  { file: 'test/adapters/s3/object-store.test.ts', name: 'S3 on another server', because: NO_VERSITYGW },
  {
    file: 'test/adapters/acme/step-ca.test.ts',
    name: 'certificates of another authority, step-ca',
    because: NO_STEP_CA,
  },
  {
    file: 'test/workflows/custom-domains/end-to-end.test.ts',
    name: 'custom domains from the add to a request, with certificates of step-ca',
    because: NO_STEP_CA,
  },
  {
    file: 'test/api/schemathesis.test.ts',
    name: 'the document of the site registry, as Schemathesis reads it',
    because: NO_SCHEMATHESIS,
  },
];

export function isAllowed(skip: Skip, allowed: readonly AllowedSkip[] = ALLOWED_SKIPS): boolean {
  return allowed.some(({ file, name }) => file === skip.file && name === skip.name);
}
