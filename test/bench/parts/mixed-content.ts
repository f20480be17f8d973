/**
 * Statements that fill a database with mixed data of so many MB: half of it pictures that do not compress, the rest rows of
 * text, numbers and JSON that compress well, in tables with indexes.
 */
export function mixedContent(megabytes: number): string {
  const pictures = Math.round((megabytes * 0.5 * 1e6) / 8_192);
  const orders = Math.round((megabytes * 0.5 * 1e6) / 500);
  // gen_random_bytes gives 1,024 bytes at most.
  const random = Array.from({ length: 8 }, () => 'gen_random_bytes(1024)').join(' || ');
  return `CREATE EXTENSION IF NOT EXISTS pgcrypto;
    CREATE TABLE pictures (id serial PRIMARY KEY, name text NOT NULL, content bytea NOT NULL);
    ALTER TABLE pictures ALTER content SET STORAGE EXTERNAL;
    INSERT INTO pictures (name, content) SELECT 'Bild Ω 語 ' || i, ${random} FROM generate_series(1, ${pictures}) i;
    CREATE TABLE orders (id serial PRIMARY KEY, customer int NOT NULL, placed timestamptz NOT NULL, note text, lines jsonb);
    INSERT INTO orders (customer, placed, note, lines)
      SELECT i % 9973, timestamptz '2020-01-01' + i * interval '7 seconds',
        'Order ' || i || ': ' || repeat('please leave the parcel with the neighbours ', 6),
        jsonb_build_object('article', i % 1000, 'count', i % 7, 'price', (i * 37 % 10000) / 100.0, 'tags', jsonb_build_array('a', 'b', null))
      FROM generate_series(1, ${orders}) i;
    CREATE INDEX ON orders (customer, placed);
    CREATE VIEW customers AS SELECT customer, count(*) AS orders FROM orders GROUP BY customer;`;
}

/** One value for the content of {@link mixedContent}: the same exactly when every row is. */
export const CONTENT_SUM = `SELECT (SELECT md5(string_agg(md5(p::text), '' ORDER BY id)) FROM pictures p)
  || (SELECT md5(string_agg(md5(o::text), '' ORDER BY id)) FROM orders o) AS sum`;
