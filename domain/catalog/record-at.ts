/** Own values of what YAML or JSON gave: nothing that a name such as `__proto__` leads to. */

/** The record under a key; null where there is none. */
export function recordAt(value: unknown, key: string): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  const inner: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? { ...inner } : null;
}

export function recordHas(record: object, key: string): boolean {
  const value: unknown = Object.getOwnPropertyDescriptor(record, key)?.value;
  return value !== undefined && value !== null;
}
