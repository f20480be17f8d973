const UNITS: Readonly<Record<string, number>> = { '': 1, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 };

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
