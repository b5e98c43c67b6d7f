import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { collectionDocument, pageCount, type Page } from '../json-api/collection-document.ts';
import { PublicAddress } from '../sessions/public-address.ts';
import { Settings } from '../settings.ts';
import { SignatureGuard } from '../signature/signature.guard.ts';
import { VerifiedCall, type Call, type SandboxRequest } from '../traffic/exchange.ts';
import { AdHocReport } from './ad-hoc-report.ts';
import { RakeReport } from './rake-report.ts';
import { readPagination, readRakeSort, readReportQuery } from './report-query.ts';

/** The two reports (interface document, endpoints 3 and 4). */
@Controller('api/web/v2/app')
@UseGuards(SignatureGuard)
export class ReportsController {
  constructor(
    private readonly settings: Settings,
    private readonly adHocReport: AdHocReport,
    private readonly rakeReport: RakeReport,
    private readonly address: PublicAddress,
  ) {}

  @Post('reports/ad_hoc')
  @HttpCode(200)
  adHoc(@VerifiedCall() { client, query, content }: Call, @Req() request: SandboxRequest) {
    const { number, perPage } = readPagination(query, this.settings.reports);
    const start = (number - 1) * perPage;
    const { totalCount, records } = this.adHocReport.extract(
      client.id,
      readReportQuery(content),
      start,
      perPage,
    );
    const page = { number, perPage, totalCount };
    return collectionDocument(records, page, { self: this.link(request, page, number) });
  }

  @Get('users/rake')
  rake(@VerifiedCall() { client, query, content }: Call, @Req() request: SandboxRequest) {
    const { number, perPage } = readPagination(query, this.settings.reports);
    const start = (number - 1) * perPage;
    const form = client.conventions.rakeParametersIn === 'form' ? content : query;
    const rakeQuery = {
      ...readReportQuery(form, query['timeZone'] as string | undefined),
      sort: readRakeSort(query),
      convert: !['', '0', 'false'].includes(String(query['convertToPreferredCurrency'] ?? '')),
    };
    const { totalCount, records } = this.rakeReport.extract(client.id, rakeQuery, start, perPage);
    const page = { number, perPage, totalCount };
    return collectionDocument(records, page, {
      self: this.link(request, page, number),
      first: this.link(request, page, 1),
      last: this.link(request, page, Math.max(1, pageCount(page))),
    });
  }

  private link(request: SandboxRequest, { perPage }: Page, number: number): string {
    const url = new URL(request.originalUrl, this.address.origin);
    url.searchParams.set('page', String(number));
    url.searchParams.set('per-page', String(perPage));
    return url.href;
  }
}
