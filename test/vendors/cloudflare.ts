import type { TestPowerDns } from '../support/start-powerdns.ts';
import { startVendorServer, type VendorAnswer, type VendorRequest } from './vendor-server.ts';

export interface CloudflareRecord {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly content: string;
  readonly ttl: number;
  readonly comment: string | null;
  /** At the edge: public DNS shows its addresses. */
  readonly proxied?: boolean;
}

interface Zone {
  readonly id: string;
  readonly name: string;
  status: 'active' | 'pending';
  readonly name_servers: readonly string[];
  readonly original_name_servers: readonly string[] | null;
  records: CloudflareRecord[];
}

const TOKEN = 'token-of-this-test';
/** As in its documents: 1,200 requests in five minutes. */
const MOST_REQUESTS = 1_200;
/** Where the edge answers, and where the target of a flattened CNAME does. */
const EDGE = ['104.16.1.1'];
const FLATTENED = ['93.184.216.34'];
const NAME_SERVERS = ['ada.ns-provider.com', 'bob.ns-provider.com'];

/**
 * Cloudflare's zones and DNS records as its API documents show them. Zones are served by a real DNS server, which follows
 * each change at once, or once it is published.
 */
export async function startCloudflare(dns: TestPowerDns) {
  const zones = new Map<string, Zone>();
  const elsewhere = new Set<string>();
  const held = new Map<string, () => Promise<void>>();
  let isHolding = false;
  let count = 0;
  let zonesMade = 0;
  const newZoneId = (): string => {
    zonesMade += 1;
    return `zone${zonesMade}`;
  };
  let requests = 0;

  const server = await startVendorServer(async (request) => {
    requests += 1;
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return failure(403, 10_000, 'Authentication error');
    if (requests > MOST_REQUESTS) {
      const limited = failure(429, 971, 'Please wait and consider throttling your request speed');
      return { ...limited, headers: { 'retry-after': '300' } };
    }
    const [, , , , zoneId, kind, recordId] = request.path.split('/');
    if (zoneId === undefined) return request.method === 'POST' ? createZone(request) : listZones(request);
    const zone = [...zones.values()].find(({ id }) => id === zoneId);
    if (zone !== undefined && kind === undefined && request.method === 'DELETE') return removeZone(zone);
    if (zone === undefined || kind !== 'dns_records') return failure(404, 7_003, 'Could not route to it');
    return answerOfRecords(zone, request, recordId);
  });

  function answerOfRecords(
    zone: Zone,
    request: VendorRequest,
    recordId?: string,
  ): VendorAnswer | Promise<VendorAnswer> {
    if (request.method === 'GET') return listRecords(zone, request);
    if (request.method === 'DELETE') return removeRecord(zone, recordId);
    return recordId === 'batch' ? writeBatch(zone, request) : writeRecord(zone, request, recordId);
  }

  function listZones({ query }: VendorRequest): VendorAnswer {
    const name = query.get('name');
    const status = query.get('status');
    const found = [...zones.values()]
      .filter((zone) => (name === null || zone.name === name) && (status === null || zone.status === status))
      .map(({ records: _, ...zone }) => zone);
    return paged(found, query, 20);
  }

  async function createZone({ text }: VendorRequest): Promise<VendorAnswer> {
    const { name } = JSON.parse(text);
    if (zones.has(name) || elsewhere.has(name)) return failure(400, 1_061, `${name} already exists`);
    const made = { id: newZoneId(), name, status: 'pending', name_servers: NAME_SERVERS } as const;
    const zone = { ...made, original_name_servers: ['ns1.registrar.net'], records: [] };
    zones.set(name, zone);
    await dns.addZone(name, NAME_SERVERS);
    return result(zone);
  }

  async function removeZone({ id, name }: Zone): Promise<VendorAnswer> {
    zones.delete(name);
    await dns.removeZone(name);
    return result({ id });
  }

  async function removeRecord(zone: Zone, id = ''): Promise<VendorAnswer> {
    const known = zone.records.find((record) => record.id === id);
    if (known === undefined) return failure(404, 81_044, 'Record does not exist.');
    zone.records = zone.records.filter((record) => record !== known);
    await publish(zone, known);
    return result({ id });
  }

  /** Deletes, then posts; all or nothing. */
  async function writeBatch(zone: Zone, { text }: VendorRequest): Promise<VendorAnswer> {
    const { deletes = [], posts = [] } = JSON.parse(text);
    const ids: readonly string[] = deletes.map(({ id }: { id: string }) => id);
    const gone = zone.records.filter(({ id }) => ids.includes(id));
    if (gone.length !== ids.length) return failure(404, 81_044, 'Record does not exist.');
    const left = zone.records.filter((record) => !gone.includes(record));
    const added: CloudflareRecord[] = posts.map((post: object) => {
      count += 1;
      return { ...{ id: `rec${count}`, type: '', name: '', content: '', comment: null, ttl: 1 }, ...pick(post) };
    });
    if (added.some((post) => clashes(left, post))) {
      return failure(400, 81_053, 'An A, AAAA, or CNAME record with that host already exists.');
    }
    zone.records = [...left, ...added];
    for (const record of [...gone, ...added]) await publish(zone, record);
    return result({ deletes: gone, posts: added });
  }

  function listRecords({ records }: Zone, { query }: VendorRequest): VendorAnswer {
    const type = query.get('type');
    const name = query.get('name.exact') ?? query.get('name[exact]') ?? query.get('name');
    const found = records.filter(
      (record) => (type === null || record.type === type) && (name === null || record.name === name),
    );
    return paged(found, query, 100);
  }

  async function writeRecord(zone: Zone, { method, text }: VendorRequest, id?: string): Promise<VendorAnswer> {
    const body = JSON.parse(text);
    const known = zone.records.find((record) => record.id === id);
    if (method === 'PATCH' && known === undefined) return failure(404, 81_044, 'Record does not exist.');
    const isSame = (one: CloudflareRecord) =>
      one.id !== id && one.type === body.type && one.name === body.name && one.content === body.content;
    if (zone.records.some(isSame)) return failure(400, 81_058, 'An identical record already exists.');
    count += 1;
    const given = pick(body);
    const written = {
      ...{ id: `rec${count}`, type: '', name: '', content: '', comment: null, ttl: 1 },
      ...known,
      ...given,
    };
    zone.records = [...zone.records.filter((record) => record !== known), written];
    await publish(zone, written);
    return result(written);
  }

  async function publish(zone: Zone, { name, type }: CloudflareRecord): Promise<void> {
    const push = async () => {
      const all = zone.records.filter((one) => one.name === name);
      const shown: readonly Shown[] = ADDRESSES.has(type) ? shownAddresses(zone, all) : [[type, contentsOf(all, type)]];
      for (const [of, contents] of shown) await dns.setRecords(zone.name, { name, type: of, contents });
    };
    if (isHolding) held.set(`${name} ${type}`, push);
    else await push();
  }

  return {
    ...server,
    token: TOKEN,
    fetch: server.fetchFor(['api.cloudflare.com']),
    async addZone(name: string, nameServers: readonly string[], status: Zone['status'] = 'active'): Promise<void> {
      const made = { id: newZoneId(), name, status, name_servers: nameServers, original_name_servers: null };
      zones.set(name, { ...made, records: [] });
      await dns.addZone(name, nameServers);
    },
    /** As a person writes one on its pages. */
    async addRecord(zone: string, record: Omit<CloudflareRecord, 'id' | 'ttl'>): Promise<void> {
      const found = zones.get(zone);
      if (found === undefined) throw new Error(`no zone ${zone}`);
      count += 1;
      const written = { id: `rec${count}`, ttl: 300, ...record };
      found.records.push(written);
      await publish(found, written);
    },
    /** As when the registrar delegates the domain here. */
    activate(name: string): void {
      const zone = zones.get(name);
      if (zone !== undefined) zone.status = 'active';
    },
    /** Another account has a zone of that domain. */
    addElsewhere: (name: string) => elsewhere.add(name),
    hasZone: (name: string): boolean => zones.has(name),
    recordsOf: (zone: string): readonly CloudflareRecord[] => [...(zones.get(zone)?.records ?? [])],
    /** From now on the DNS server does not follow. */
    hold(): void {
      isHolding = true;
    },
    async release(): Promise<void> {
      isHolding = false;
      for (const push of held.values()) await push();
      held.clear();
    },
    useUpRequests(): void {
      requests = MOST_REQUESTS;
    },
    resetRequests(): void {
      requests = 0;
    },
  };
}

export type TestCloudflare = Awaited<ReturnType<typeof startCloudflare>>;

const ADDRESSES: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME']);

/** A type, and the contents of its records. */
type Shown = readonly [type: string, contents: readonly string[]];

const contentsOf = (records: readonly CloudflareRecord[], type: string): readonly string[] =>
  records.filter((one) => one.type === type).map(({ content }) => content);

/**
 * What the public DNS shows. A CNAME at the apex is flattened, and a proxied record hides behind the edge: addresses are
 * served instead. What goes comes first: a CNAME stands alone.
 */
function shownAddresses(zone: Zone, records: readonly CloudflareRecord[]): readonly Shown[] {
  const aliases = records.filter(({ type }) => type === 'CNAME');
  const isHidden = records.some((one) => ADDRESSES.has(one.type) && one.proxied === true);
  const isFlattened = aliases.some(({ name }) => name === zone.name);
  if (isHidden || isFlattened)
    return [
      ['CNAME', []],
      ['AAAA', []],
      ['A', isHidden ? EDGE : FLATTENED],
    ];
  if (aliases.length > 0) {
    return [
      ['A', []],
      ['AAAA', []],
      ['CNAME', aliases.map(({ content }) => `${content.replace(/\.$/, '')}.`)],
    ];
  }
  return [
    ['CNAME', []],
    ['A', contentsOf(records, 'A')],
    ['AAAA', contentsOf(records, 'AAAA')],
  ];
}

/** A CNAME stands beside no other address record of its name. */
function clashes(records: readonly CloudflareRecord[], { type, name }: CloudflareRecord): boolean {
  const others = records.filter((one) => one.name === name && ADDRESSES.has(one.type));
  return ADDRESSES.has(type) && others.some((one) => one.type === 'CNAME' || type === 'CNAME');
}

function pick(given: Partial<CloudflareRecord>): Partial<Omit<CloudflareRecord, 'id'>> {
  const { type, name, content, ttl, comment, proxied } = given;
  const set = Object.entries({ type, name, content, ttl, comment, proxied }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set);
}

function paged(items: readonly unknown[], query: URLSearchParams, usual: number): VendorAnswer {
  const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? usual)];
  const result = items.slice((page - 1) * perPage, page * perPage);
  const info = { page, per_page: perPage, count: result.length, total_count: items.length };
  const pages = { ...info, total_pages: Math.ceil(items.length / perPage) };
  return { status: 200, body: { success: true, errors: [], messages: [], result, result_info: pages } };
}

function result(of: object): VendorAnswer {
  return { status: 200, body: { success: true, errors: [], messages: [], result: of } };
}

function failure(status: number, code: number, message: string): VendorAnswer {
  return { status, body: { success: false, errors: [{ code, message }], messages: [], result: null } };
}
