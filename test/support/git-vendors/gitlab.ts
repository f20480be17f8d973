import { answerBelow, startVendor, type VendorAnswer, type VendorRequest, type VendorServer } from './vendor-server.ts';

export interface GitlabHook {
  readonly id: number;
  readonly url: string;
  readonly push_events: boolean;
  readonly tag_push_events: boolean;
  readonly enable_ssl_verification: boolean;
  readonly token: string;
  readonly signing_token: string;
}

export interface GitlabStatus {
  readonly status: string;
  readonly name: string;
  readonly description: string;
  readonly target_url: string | null;
}

export interface TestGitlab extends VendorServer {
  readonly hooks: GitlabHook[];
  /** Newest first. */
  readonly events: object[];
  /** By commit, the last of each name first. */
  readonly statuses: Map<string, GitlabStatus[]>;
}

const refuse = (status: number, message: unknown): VendorAnswer => ({ status, body: { message } });
const STATES = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'];

/**
 * GitLab as its documentation describes it: statuses and webhooks of one project (REST v4).
 * @param options `signs`: a version that has signing tokens (19.0 and later); an older one ignores them
 */
export async function startGitlab(options: {
  readonly project: string;
  readonly commit: string;
  readonly token: string;
  readonly signs: boolean;
}): Promise<TestGitlab> {
  const hooks: GitlabHook[] = [];
  const statuses = new Map<string, GitlabStatus[]>();
  const events: object[] = [];
  let made = 0;

  const show = ({ token, signing_token: signing, ...hook }: GitlabHook): object => ({
    ...hook,
    project_id: 3,
    ...(options.signs ? { token_present: token !== '', signing_token_present: signing !== '' } : {}),
  });
  const writeHook = (hook: GitlabHook | null, { body }: VendorRequest): VendorAnswer => {
    const given = body as Partial<GitlabHook>;
    if (given.url === undefined) return { status: 400, body: { error: 'url is missing' } };
    if (!/^https?:\/\//.test(given.url)) return { status: 422, body: { error: 'Invalid url given' } };
    const key = given.signing_token?.replace(/^whsec_/, '');
    if (options.signs && key && Buffer.from(key, 'base64').length !== 32) {
      return refuse(422, { signing_token: ['must be in whsec_<base64> format encoding a 32-byte key'] });
    }
    made += 1;
    const kept = hook ?? { id: made, push_events: true, tag_push_events: false, token: '', signing_token: '' };
    const next = { enable_ssl_verification: true, ...kept, ...given } as GitlabHook;
    const stored = options.signs ? next : { ...next, signing_token: '' };
    if (hook === null) hooks.push(stored);
    else hooks[hooks.indexOf(hook)] = stored;
    return { status: hook === null ? 201 : 200, body: show(stored) };
  };

  const setStatus = (commit: string, { body }: VendorRequest): VendorAnswer => {
    const { name = 'default', description = '', target_url = null } = body as Partial<GitlabStatus>;
    const state = String(body.state);
    if (!STATES.includes(state)) return { status: 400, body: { error: 'state does not have a valid value' } };
    if (commit !== options.commit) return refuse(404, '404 Commit Not Found');
    if (Array.from(description).length > 255) {
      return refuse(400, { description: ['is too long (maximum is 255 characters)'] });
    }
    const all = statuses.get(commit) ?? [];
    const before = all.find((each) => each.name === name);
    if (state === 'pending' && before?.status === 'pending') {
      const why =
        'Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")';
      return refuse(400, why);
    }
    statuses.set(commit, [
      { status: state, name, description, target_url },
      ...all.filter((each) => each.name !== name),
    ]);
    return { status: 201, body: { id: 93, sha: commit, status: state, name, description, target_url } };
  };

  const repository = {
    hooks,
    changeHook: 'PUT' as const,
    writeHook,
    showHook: show,
    setStatus,
    notFound: refuse(404, '404 Not found'),
  };
  const server = await startVendor('/api/v4', (request) => {
    const { path, headers } = request;
    if (headers['private-token'] !== options.token) return refuse(401, '401 Unauthorized');
    if (path === '/user') return { status: 200, body: { id: 1, username: 'john_smith', state: 'active' } };
    const [, found = ''] = /^\/projects\/([^/]+)/.exec(path) ?? [];
    if (decodeURIComponent(found) !== options.project) return refuse(404, '404 Project Not Found');
    const below = path.slice(`/projects/${found}`.length);
    if (below === '/events') return { status: 200, body: events };
    return answerBelow(repository, below, request);
  });
  return Object.assign(server, { hooks, statuses, events });
}
