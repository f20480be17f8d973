import { answerBelow, startVendor, type VendorAnswer, type VendorRequest, type VendorServer } from './vendor-server.ts';

export interface GithubHook {
  readonly id: number;
  readonly active: boolean;
  readonly events: readonly string[];
  readonly config: Readonly<Record<string, string>>;
}

export interface GithubStatus {
  readonly state: string;
  readonly context: string;
  readonly description: string;
  readonly target_url: string | null;
}

export interface TestGithub extends VendorServer {
  readonly hooks: GithubHook[];
  /** Newest first. */
  readonly activities: object[];
  /** By commit, the last of each context first. */
  readonly statuses: Map<string, GithubStatus[]>;
}

const DOCUMENTATION = { documentation_url: 'https://docs.github.com/rest', status: '' };
const refuse = (status: number, message: string, errors?: readonly object[]): VendorAnswer => ({
  status,
  body: { message, ...(errors === undefined ? {} : { errors }), ...DOCUMENTATION, status: String(status) },
});

/** GitHub Enterprise as its documentation describes it: statuses and webhooks of one repository (REST, version 2022-11-28). */
export async function startGithub(options: {
  readonly repository: string;
  readonly commit: string;
  readonly token: string;
}): Promise<TestGithub> {
  const hooks: GithubHook[] = [];
  const statuses = new Map<string, GithubStatus[]>();
  const activities: object[] = [];
  let made = 0;

  const writeHook = (hook: GithubHook | null, { body }: VendorRequest): VendorAnswer => {
    const { config = {}, events = ['push'], active = true, name = 'web' } = body as Record<string, never>;
    const { url, secret } = config as Record<string, string>;
    if (name !== 'web' || url === undefined || !URL.canParse(url)) {
      return refuse(422, 'Validation Failed', [
        { resource: 'Hook', code: 'custom', message: 'url is not a valid URL' },
      ]);
    }
    if (hooks.some((each) => each.id !== hook?.id && each.config.url === url)) {
      const message = 'Hook already exists on this repository';
      return refuse(422, 'Validation Failed', [{ resource: 'Hook', code: 'custom', message }]);
    }
    made += 1;
    const next: GithubHook = { id: hook?.id ?? 12_345_000 + made, active, events, config };
    if (hook === null) hooks.push(next);
    else hooks[hooks.indexOf(hook)] = next;
    // Never the secret.
    const shown = {
      ...next,
      type: 'Repository',
      name: 'web',
      config: { ...config, ...(secret && { secret: '********' }) },
    };
    return { status: hook === null ? 201 : 200, body: shown };
  };

  const setStatus = (commit: string, { body }: VendorRequest): VendorAnswer => {
    const { state = '', context = 'default', description = '', target_url = null } = body as Partial<GithubStatus>;
    if (!['error', 'failure', 'pending', 'success'].includes(state)) return refuse(422, 'Validation Failed');
    if (commit !== options.commit) return refuse(422, `No commit found for SHA: ${commit}`);
    if (Array.from(description).length > 140) {
      const message = 'description is too long (maximum is 140 characters)';
      return refuse(422, 'Validation Failed', [{ resource: 'Status', code: 'custom', field: 'description', message }]);
    }
    const before = (statuses.get(commit) ?? []).filter((status) => status.context !== context);
    statuses.set(commit, [{ state, context, description, target_url }, ...before]);
    return { status: 201, body: { id: 1, state, context, description, target_url } };
  };

  const repository = {
    hooks,
    changeHook: 'PATCH' as const,
    writeHook,
    showHook: (hook: GithubHook) => hook,
    setStatus,
    notFound: refuse(404, 'Not Found'),
  };
  const server = await startVendor('/api/v3', (request) => {
    const { path, headers } = request;
    if (headers.authorization !== `Bearer ${options.token}`) return refuse(401, 'Bad credentials');
    if (path === '/user') return { status: 200, body: { login: 'octocat', id: 1, type: 'User' } };
    const [, found = ''] = /^\/repos\/([^/]+\/[^/]+)/.exec(path) ?? [];
    if (found !== options.repository) return refuse(404, 'Not Found');
    const below = path.slice(`/repos/${found}`.length);
    if (below === '/activity') return { status: 200, body: activities };
    return answerBelow(repository, below, request);
  });
  return Object.assign(server, { hooks, statuses, activities });
}
