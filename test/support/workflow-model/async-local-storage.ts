import { AsyncLocalStorage } from 'node:async_hooks';

/** The workflow library takes it from the global object, as a worker puts it there: imported before that library. */
Object.assign(globalThis, { AsyncLocalStorage });
