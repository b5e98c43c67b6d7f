import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { collectionDocument, pageCount, type Page, type Resource } from '../interface/documents.ts';
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
  adHoc(@VerifiedCall() call: Call, @Req() request: SandboxRequest) {
    const query = readReportQuery(call.content);
    const { page, records } = this.read(call, this.reports.adHoc(call.client.id, query));
    return collectionDocument(records, page, { self: this.link(request, page, page.number) });
  }

  @Get('users/rake')
  rake(@VerifiedCall() call: Call, @Req() request: SandboxRequest) {
    const { client, query, content } = call;
    const rakeQuery = readRakeQuery(client.conventions.rakeParametersIn === 'form' ? content : query, query);
    const { page, records } = this.read(call, this.reports.rake(client.id, rakeQuery));
    return collectionDocument(records, page, {
      self: this.link(request, page, page.number),
      first: this.link(request, page, 1),
      last: this.link(request, page, Math.max(1, pageCount(page))),
    });
  }

  private read({ query, fault }: Call, report: Sequence<Resource>) {
    return readPage(readPagination(query, this.settings.reports), fault, report);
  }

  private link(request: SandboxRequest, { perPage }: Page, number: number): string {
    const url = new URL(request.originalUrl, this.address.origin);
    url.searchParams.set('page', String(number));
    url.searchParams.set('per-page', String(perPage));
    return url.href;
  }
}
