const SUFFIXES: Readonly<Record<string, number>> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Reads a Kubernetes quantity (`64Mi`, `0.25`, `250m`, `1e9`) as a plain number; null when it is not one. */
export function parseQuantity(text: string): number | null {
  const match = /^(\d{1,18}(?:\.\d{0,9})?|\.\d{1,9})(?:([eE][+-]?\d{1,2})|(m|k|[MGTPE]|[KMGTPE]i))?$/.exec(text.trim());
  if (match === null) return null;
  const factor = SUFFIXES[match[3] ?? ''] ?? 1;
  const value = Number(`${match[1]}${match[2] ?? ''}`) * factor;
  return Number.isFinite(value) ? value : null;
}
