/** A request that a service has answered, or that its client gave up. */
export interface MeteredRequest {
  readonly method: string;
  /** The path of the route as its row has it, such as `/builds/:id`; null where none was found, or the request was refused before. */
  readonly route: string | null;
  /** Null when the client went before the reply was whole. */
  readonly status: number | null;
  readonly seconds: number;
}

/** Counts the requests of one service, for whoever reads the metrics of its process. */
export interface RequestMeter {
  started(): void;
  ended(request: MeteredRequest): void;
}
