const UNITS: Readonly<Record<string, number>> = { '': 1, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };

/**
 * Of the node's disk: what the container prints, of which the node keeps 50 MiB unless told otherwise, and what it writes where its
 * root is not read-only. Whoever has more is put out, before the disk of the node is full for all.
 */
export const DISK_LIMIT = '1Gi';
/** So much is free on the node that it comes to. */
export const DISK_REQUEST = '64Mi';

/** Bytes as the cluster writes them back: in mebibytes or gibibytes where these leave no rest. */
export function quantityOfBytes(bytes: number): string {
  const unit = ['Gi', 'Mi'].find((name) => bytes % (UNITS[name] ?? 1) === 0) ?? '';
  return `${bytes / (UNITS[unit] ?? 1)}${unit}`;
}

/** Null for what is no such quantity. */
export function bytesOfQuantity(quantity = ''): number | null {
  const [, amount, unit = ''] = /^(\d+)(Ki|Mi|Gi)?$/.exec(quantity) ?? [];
  return amount === undefined ? null : Number(amount) * (UNITS[unit] ?? 1);
}

/** Of `500m`, or whole CPUs such as `2`; null for what is no such quantity. */
export function millisOfQuantity(quantity = ''): number | null {
  const [, amount, unit] = /^(\d+)(m)?$/.exec(quantity) ?? [];
  return amount === undefined ? null : Number(amount) * (unit === 'm' ? 1 : 1_000);
}
