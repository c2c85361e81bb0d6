import type { Queries } from './driver.ts';

export interface InstanceRecord {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly version: string;
  readonly status: 'healthy' | 'degraded';
  readonly isActive: boolean;
  readonly quotaBytes: number;
  readonly usedBytes: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Instances {
  insert(instance: InstanceRecord): Promise<void>;
  /** The oldest instance, to which new accounts belong. */
  first(): Promise<InstanceRecord | undefined>;
  /** Moves the usage; a negative amount takes away. */
  use(id: string, bytes: number): Promise<void>;
}

const columns = `id, name, region, version, status, is_active AS "isActive", quota_bytes AS "quotaBytes",
  used_bytes AS "usedBytes", created_at AS "createdAt", updated_at AS "updatedAt"`;

type Row = Omit<InstanceRecord, 'isActive'> & { readonly isActive: number };

function toRecord(row: Row): InstanceRecord {
  return { ...row, isActive: row.isActive === 1 };
}

export function instances(queries: Queries): Instances {
  return {
    async insert(instance) {
      await queries.run(
        `INSERT INTO instances (id, name, region, version, status, is_active, quota_bytes, used_bytes,
           created_at, updated_at)
         VALUES (@id, @name, @region, @version, @status, @isActive, @quotaBytes, @usedBytes, @createdAt,
           @updatedAt)`,
        { ...instance, isActive: instance.isActive ? 1 : 0 },
      );
    },

    async first() {
      const row = await queries.get<Row>(
        `SELECT ${columns} FROM instances ORDER BY created_at, id LIMIT 1`,
      );
      return row && toRecord(row);
    },

    async use(id, bytes) {
      await queries.run('UPDATE instances SET used_bytes = used_bytes + @bytes WHERE id = @id', {
        id,
        bytes,
      });
    },
  };
}
