import { FairleadError } from '../../../domain/errors.ts';
import { targetKey } from '../../../domain/ids.ts';
import { type OutputPosition, positionAfter } from '../../../domain/logs/output-line.ts';
import type { LogPlace, ServiceLogLine, ServiceLogs, ServiceLogTarget } from '../../../domain/logs/service-log.ts';

const BYTES_A_LINE = 2 * 1024;
const KEPT_FILES = 2;

interface File {
  readonly number: number;
  readonly lines: ServiceLogLine[];
}

const sizeOf = (lines: readonly ServiceLogLine[]) =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(JSON.stringify(line)), 0);

/** Logs of services in this process. An offset counts lines here; who reads never looks into one. */
export function createInMemoryServiceLogs({ fileBytes = 10 * 1024 ** 2 } = {}): ServiceLogs {
  const logs = new Map<string, File[]>();
  const positions = new Map<string, OutputPosition>();
  let writers = 0;
  const keyOf = ({ serviceId, environment }: ServiceLogTarget) => targetKey(serviceId, environment);
  const filesOf = (target: ServiceLogTarget): File[] => logs.get(keyOf(target)) ?? [];
  const begin = (target: ServiceLogTarget): File => {
    const files = filesOf(target);
    const file = { number: (files.at(-1)?.number ?? 0) + 1, lines: [] };
    logs.set(keyOf(target), [...files, file].slice(-KEPT_FILES));
    return file;
  };
  return {
    async last(target, { count, matches, since, until }) {
      const all = filesOf(target).flatMap(({ number, lines }) =>
        lines.map((line, index) => ({ line, next: { file: number, offset: index + 1 } })),
      );
      let budget = count * BYTES_A_LINE;
      const before = all.filter(({ line }) => until === undefined || line.at < until);
      const inReach = before.toReversed().filter(({ line }, index) => {
        budget -= sizeOf([line]);
        return index === 0 || budget >= 0;
      });
      const isWanted = (at: string) => (since === undefined || at >= since) && (until === undefined || at < until);
      const found = inReach.filter(({ line }) => isWanted(line.at) && matches(line));
      return {
        lines: found.slice(0, count).reverse(),
        next: all.at(-1)?.next ?? { file: 0, offset: 0 },
        truncated:
          found.length > count ||
          (inReach.length < before.length && !inReach.some(({ line }) => since !== undefined && line.at < since)),
      };
    },
    async after(target, place) {
      const files = filesOf(target);
      const [oldest] = files;
      const newest = files.at(-1);
      if (oldest === undefined || newest === undefined) return { lines: [], next: place, lost: false };
      const isKept = files.some(({ number }) => number === place.file);
      const end = files.find(({ number }) => number === place.file)?.lines.length ?? 0;
      const from: LogPlace = isKept
        ? { ...place, offset: Math.min(place.offset, end) }
        : { file: oldest.number, offset: 0 };
      const lines = files
        .filter(({ number }) => number >= from.file)
        .flatMap(({ number, lines }) =>
          lines
            .map((line, index) => ({ line, next: { file: number, offset: index + 1 } }))
            .slice(number === from.file ? from.offset : 0),
        );
      return { lines, next: lines.at(-1)?.next ?? from, lost: !isKept && place.file > 0 };
    },
    async takeOver() {
      writers += 1;
      const writer = writers;
      return {
        look: async () => undefined,
        open: async (target) => ({
          position: (workload) => positions.get(`${keyOf(target)} ${workload}`) ?? {},
          async append(lines) {
            if (writer !== writers) throw new FairleadError('CONFLICT', 'Another one writes the logs by now');
            const last = filesOf(target).at(-1) ?? begin(target);
            const isFull = last.lines.length > 0 && sizeOf([...last.lines, ...lines]) > fileBytes;
            (isFull ? begin(target) : last).lines.push(...lines);
            for (const line of lines) {
              const key = `${keyOf(target)} ${line.workload}`;
              positions.set(key, positionAfter(positions.get(key) ?? {}, line));
            }
          },
          close: async () => undefined,
        }),
      };
    },
    async remove(serviceId) {
      for (const key of logs.keys()) if (key.startsWith(`${serviceId}/`)) logs.delete(key);
      for (const key of positions.keys()) if (key.startsWith(`${serviceId}/`)) positions.delete(key);
    },
    serviceIds: async () => [...new Set([...logs.keys()].flatMap((key) => key.split('/')[0] ?? []))],
  };
}
