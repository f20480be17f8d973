/**
 * A record as the stores of this folder keep it and give it back: frozen as deep as it goes, so that nobody changes what
 * is stored but by a write. Frozen parts are shared between versions of a record; copying each at every call took most
 * of the time of the model tests.
 * @throws TypeError for what a database would not give back as it was: functions and objects of a class
 */
export function keepRecord<T>(value: T): T {
  if (typeof value === 'function') throw new TypeError('a record holds no functions');
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (!(value instanceof Date) && !Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) {
    throw new TypeError(`a record holds no ${value.constructor?.name}`);
  }
  for (const item of Object.values(value)) keepRecord(item);
  return Object.freeze(value);
}
