import type { EnvSource } from '../../adapters/read-variables.ts';
import { isLoopbackHost } from '../../domain/oauth-clients/redirect-uri.ts';
import { SERVICE_ROWS } from '../../domain/services.ts';
import type { ImageProcess } from './image-processes.ts';

/** What a process says of its settings before it starts in a container. */
export interface SettingsFound {
  /** It does not start with these. */
  readonly refused: readonly string[];
  /** It starts, and says so. */
  readonly warned: readonly string[];
}

const WORKLOADS = ['builder', 'worker', 'edge'];
const IMAGES = ['worker', 'edge'];

/** Variables that `npm start` sets for the processes it starts: no container has what they name. */
const OF_AN_EMBEDDED_STACK = ['PARTS_ON_NEED', 'REGISTRY_DELETIONS'];

/** Files that router, worker and the container engine have to see under the same path. */
const SOCKETS = ['BUILD_PROXY_SOCKET', 'PLATFORM_SOCKET'];

/** Without these a process looks for the part in its own container. */
const ADDRESSES: readonly { readonly variable: string; readonly readBy: (process: ImageProcess) => boolean }[] = [
  { variable: 'MONGODB_URI', readBy: ({ name }) => name === 'worker' || rowOf(name)?.database != null },
  {
    variable: 'TEMPORAL_ADDRESS',
    readBy: ({ name }) => ['builder', 'site-registry', 'monitor', 'worker'].includes(name),
  },
  { variable: 'IDP_URL', readBy: ({ name }) => name !== 'edge' },
  { variable: 'DOCKER_REGISTRY', readBy: ({ name }) => IMAGES.includes(name) },
];

/**
 * Looks for settings with which the platform works on one machine alone. Refused is what cannot work in a container; warned of is what
 * works as long as all is on one machine. @param isOfContainer whether a folder lies in the container's own file system
 */
export function singleMachineSettings(
  process: ImageProcess,
  env: EnvSource,
  isOfContainer: (folder: string) => boolean,
): SettingsFound {
  const given = (variable: string): string => env[variable] ?? '';
  const missing = ADDRESSES.filter(({ variable, readBy }) => {
    const own = variable === 'MONGODB_URI' ? (rowOf(process.name)?.databaseUriVariable ?? '') : '';
    return readBy(process) && given(variable) === '' && given(own) === '';
  });
  const refused = [
    ...OF_AN_EMBEDDED_STACK.filter((variable) => given(variable) !== '').map(
      (variable) => `${variable} is of a stack of npm start, and names what this container does not have: take it out`,
    ),
    ...missing.map(
      ({ variable }) =>
        `${variable} is not set, and without it this process would look for that part in its own container: set it`,
    ),
    ...(process.name === 'worker' && given('TEST_RUNNER_URL') === 'container:'
      ? [
          'TEST_RUNNER_URL=container: mounts a folder of the worker, which the container engine does not see: give the address of a runner',
        ]
      : []),
  ];
  return { refused, warned: warnings(process, given, isOfContainer) };
}

function warnings(
  process: ImageProcess,
  given: (variable: string) => string,
  isOfContainer: (folder: string) => boolean,
): readonly string[] {
  const urls = SERVICE_ROWS.map(({ baseUrlVariable }) => baseUrlVariable);
  const loopback = [
    'MONGODB_URI',
    'TEMPORAL_ADDRESS',
    'DOCKER_REGISTRY',
    'OBJECT_STORE_HOST',
    'DOCKER_HOST',
    ...urls,
  ].filter((variable) => isLoopbackHost(hostOf(given(variable))));
  const folders = [...process.sharedFolders, ...process.ownFolders];
  const dataDir = given('DATA_DIR');
  const isLost = folders.length > 0 && dataDir !== '' && isOfContainer(dataDir);
  const domain = given('PLATFORM_DOMAIN');
  return [
    ...SOCKETS.filter((variable) => given(variable) !== '').map(
      (variable) =>
        `${variable} is a file: router, worker and container engine have to be on one machine, and see it under this path`,
    ),
    ...loopback.map(
      (variable) => `${variable} names this machine's loopback: other machines and containers have another`,
    ),
    ...(WORKLOADS.includes(process.name) && ['', 'localhost'].includes(domain)
      ? ['PLATFORM_DOMAIN is not set: services get addresses of localhost, which lead nowhere from other machines']
      : []),
    ...(process.name === 'worker' && given('STACK_ID') === ''
      ? [
          'STACK_ID is not set: another installation on the same engine or cluster without one takes the services of this for its own',
        ]
      : []),
    ...(process.name === 'worker' && ['true', '1'].includes(given('BASE_IMAGE_STAND_INS'))
      ? ['BASE_IMAGE_STAND_INS makes base images of the programs of one machine: other nodes pull the public ones']
      : []),
    ...(given('LOCAL_SOURCES_ROOT') === '' || !WORKLOADS.includes(process.name)
      ? []
      : ['LOCAL_SOURCES_ROOT is a folder of one machine: builder and worker need the same one there']),
    ...(isLost
      ? [
          `${dataDir} is in this container, and goes with it: mount a volume there for ${folders.join(', ')}${sharedWords(process)}`,
        ]
      : []),
  ];
}

function sharedWords({ sharedFolders }: ImageProcess): string {
  return sharedFolders.length === 0 ? '' : ', the same one for builder, monitor, worker and edge';
}

const rowOf = (name: string) => SERVICE_ROWS.find((row) => row.name === name);

/** `user:password@host:port/…` and `host:port` as well as a whole address. */
function hostOf(value: string): string {
  const [, authority = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?([^/?]*)/i.exec(value) ?? [];
  return authority.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}
