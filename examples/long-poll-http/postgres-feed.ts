// The feed in a table of PostgreSQL.
//
// Ground rules. A sequence alone does not order commits. An id may become readable after a higher
// one, and a poll that has seen the higher one would never see it. So an append holds a lock from
// before its id is drawn until it commits.
import type { Pool } from 'pg';
import type { Feed, Message, News } from './feed.ts';
import type { Post } from './requests.ts';

const LOCK = 'SELECT pg_advisory_xact_lock(7462)';
const TABLE = `CREATE TABLE IF NOT EXISTS purgatory_chat (
  id bigserial PRIMARY KEY, room text NOT NULL, author text NOT NULL, text text NOT NULL,
  at timestamptz NOT NULL DEFAULT now())`;
const APPEND = `WITH turn AS MATERIALIZED (${LOCK})
  INSERT INTO purgatory_chat (room, author, text) SELECT $1, $2, $3 FROM turn RETURNING id, at`;
const AFTER = `WITH newest AS (SELECT coalesce(max(id), 0) AS id FROM purgatory_chat)
  SELECT newest.id AS next, chat.* FROM newest LEFT JOIN purgatory_chat AS chat
  ON chat.room = ANY($1) AND chat.id > CASE WHEN $2 > newest.id THEN 0 ELSE $2 END ORDER BY chat.id`;

interface Row {
  readonly id: string;
  readonly at: Date;
}

export class PostgresFeed implements Feed {
  readonly #pool: Pool;

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  static async open(pool: Pool): Promise<PostgresFeed> {
    await pool.query(`BEGIN; ${LOCK}; ${TABLE}; COMMIT`);
    return new PostgresFeed(pool);
  }

  async append(post: Post): Promise<Message> {
    const { rows } = await this.#pool.query<Row>(APPEND, [post.room, post.author, post.text]);
    return { ...post, id: Number(rows[0].id), at: rows[0].at.toISOString() };
  }

  async after(rooms: readonly string[], after: number): Promise<News> {
    const { rows } = await this.#pool.query<Row & Post & { next: string }>(AFTER, [rooms, after]);
    // Without a message there is one row, with the newest id alone.
    const messages = rows.filter(({ id }) => id !== null);
    return {
      next: Number(rows[0].next),
      messages: messages.map(({ id, room, author, text, at }) => {
        return { id: Number(id), room, author, text, at: at.toISOString() };
      }),
    };
  }
}
