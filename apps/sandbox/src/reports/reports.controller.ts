import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { collectionDocument, pageCount, type Resource } from '../interface/documents.ts';
import { PublicAddress } from '../sessions/sessions.ts';
import { Settings } from '../settings/settings.ts';
import { SignatureGuard } from '../traffic/signature.guard.ts';
import { VerifiedCall, type Call, type SandboxRequest } from '../traffic/exchange.ts';
import type { Sequence } from './population.ts';
import { readPage } from './report-faults.ts';
import { readPagination, readRakeQuery, readReportQuery } from './report-query.ts';
import { Reports } from './reports.ts';

/** The two reports (interface document, endpoints 3 and 4). */
@Controller('api/web/v2/app')
@UseGuards(SignatureGuard)
export class ReportsController {
  constructor(
    private readonly settings: Settings,
    private readonly reports: Reports,
    private readonly address: PublicAddress,
  ) {}

  @Post('reports/ad_hoc')
  @HttpCode(200)
  adHoc(@VerifiedCall() call: Call, @Req() { originalUrl }: SandboxRequest) {
    const report = this.reports.adHoc(call.client.id, readReportQuery(call.content));
    return this.pageOf(report, call, originalUrl, ['self']);
  }

  @Get('users/rake')
  rake(@VerifiedCall() call: Call, @Req() { originalUrl }: SandboxRequest) {
    const { client, query, content } = call;
    const form = client.conventions.rakeParametersIn === 'form' ? content : query;
    const report = this.reports.rake(client.id, readRakeQuery(form, query));
    return this.pageOf(report, call, originalUrl, ['self', 'first', 'last']);
  }

  private pageOf(
    report: Sequence<Resource>,
    { query, fault }: Call,
    url: string,
    linked: readonly ('self' | 'first' | 'last')[],
  ) {
    const { page, records } = readPage(readPagination(query, this.settings.reports), fault, report);
    const numbers = { self: page.number, first: 1, last: Math.max(1, pageCount(page)) };
    const links = linked.map((name) => {
      const link = new URL(url, this.address.origin);
      link.searchParams.set('page', String(numbers[name]));
      link.searchParams.set('per-page', String(page.perPage));
      return [name, { href: link.href }] as const;
    });
    return collectionDocument(records, page, Object.fromEntries(links));
  }
}
