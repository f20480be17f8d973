/** A person of the identity provider. */
export interface KnownPerson {
  readonly userId: string;
  readonly email: string;
}

/** Who is there at this moment. */
export interface PersonDirectory {
  /** Null for nobody, and for who is suspended. @throws UNAVAILABLE (retryable) */
  findActive(userId: string): Promise<KnownPerson | null>;
}
