import type { ClassConstructor } from 'class-transformer';
import {
  IsDefined,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import type { Fault, FaultKind } from '../faults/fault.ts';
import { OPERATIONS, type Operation } from '../operations/operation.ts';

const MAX_MS = 600_000;
// one line of characters that a header may hold
const HEADER = /^[\x20-\x7e]+$/;

/** The body of a request for a fault: which requests it is for, and the members of its kind. */
export abstract class FaultBody {
  @IsDefined() kind!: FaultKind;
  @IsIn(OPERATIONS) @IsOptional() operation?: Operation;
  @IsInt() @Min(1) @IsOptional() count?: number;
  @IsNumber() @Min(0.000_001) @Max(1) @IsOptional() share?: number;

  abstract fault(): Fault;
}

class LatencyBody extends FaultBody {
  @IsInt() @Min(0) @Max(MAX_MS) fixedMs!: number;
  @IsInt() @Min(0) @Max(MAX_MS) @IsOptional() spreadMs?: number;

  fault(): Fault {
    return { kind: 'latency', fixedMs: this.fixedMs, spreadMs: this.spreadMs ?? 0 };
  }
}

class StatusBody extends FaultBody {
  @IsInt() @Min(400) @Max(599) status!: number;
  @Matches(HEADER) @MaxLength(100) @IsOptional() retryAfter?: string;

  fault(): Fault {
    const { status, retryAfter } = this;
    return { kind: 'status', status, ...(retryAfter !== undefined && { retryAfter }) };
  }
}

class HtmlBody extends FaultBody {
  @IsInt() @Min(200) @Max(599) @IsOptional() status?: number;

  fault(): Fault {
    return { kind: 'html', status: this.status ?? 502 };
  }
}

class RedirectBody extends FaultBody {
  @IsIn([301, 302, 303, 307, 308]) @IsOptional() status?: number;
  @Matches(HEADER) @MaxLength(2000) @IsString() location!: string;

  fault(): Fault {
    return { kind: 'redirect', status: this.status ?? 302, location: this.location };
  }
}

class TruncatedBody extends FaultBody {
  @IsNumber() @Min(0) @Max(0.999) @IsOptional() bodyShare?: number;

  fault(): Fault {
    return { kind: 'truncated', share: this.bodyShare ?? 0.5 };
  }
}

class DripBody extends FaultBody {
  @IsInt() @Min(1) @IsOptional() bytes?: number;
  @IsInt() @Min(1) @Max(MAX_MS) @IsOptional() intervalMs?: number;

  fault(): Fault {
    return { kind: 'drip', bytes: this.bytes ?? 16, intervalMs: this.intervalMs ?? 100 };
  }
}

class WrongDocumentBody extends FaultBody {
  /** Any JSON. */
  @IsOptional() document?: unknown;

  fault(): Fault {
    const { document = { data: { type: 'something-else', id: '1', attributes: {} } } } = this;
    return { kind: 'wrong-document', document };
  }
}

class ClampedPerPageBody extends FaultBody {
  @IsInt() @Min(1) perPage!: number;

  fault(): Fault {
    return { kind: 'clamped-per-page', perPage: this.perPage };
  }
}

class ChangingTotalBody extends FaultBody {
  @IsInt() @Min(-1_000_000) @Max(1_000_000) @IsOptional() by?: number;

  fault(): Fault {
    return { kind: 'changing-total', by: this.by ?? 1 };
  }
}

class PlainBody extends FaultBody {
  fault(): Fault {
    return { kind: this.kind as 'reset-before' };
  }
}

/** The class of each kind. */
export const FAULT_BODIES: Readonly<Record<FaultKind, ClassConstructor<FaultBody>>> = {
  latency: LatencyBody,
  status: StatusBody,
  html: HtmlBody,
  redirect: RedirectBody,
  'reset-before': PlainBody,
  'reset-after': PlainBody,
  truncated: TruncatedBody,
  drip: DripBody,
  'wrong-document': WrongDocumentBody,
  'empty-body': PlainBody,
  gzip: PlainBody,
  'clamped-per-page': ClampedPerPageBody,
  'repeated-page': PlainBody,
  'other-page': PlainBody,
  'endless-report': PlainBody,
  'changing-total': ChangingTotalBody,
  'huge-amounts': PlainBody,
  'odd-amounts': PlainBody,
};
