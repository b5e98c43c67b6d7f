import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  Equals,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import type { AuthType } from '../archive/session.ts';
import { IsLaunchOptions } from './is-launch-options.ts';

/** `data.attributes.session` of open-game. */
export class OpenGameSession {
  @IsOptional() @IsString() @IsNotEmpty() id?: string | null;
  @IsOptional()
  @IsIn(['external', 'internal'], { message: 'Auth type not valid' })
  authType?: AuthType | null;
  @IsOptional() @IsInt() tableId?: number | null;
  @IsOptional() @IsString() lang?: string | null;
  @IsOptional() @IsLaunchOptions() launchOptions?: unknown;
  @IsOptional() @IsBoolean() longLifeLoginToken?: boolean | null;
  @IsOptional() @IsString() userIp?: string | null;
}

/** `data.attributes.player` of open-game; the country's member is named by a convention and checked separately. */
export class OpenGamePlayer {
  @IsString() @IsNotEmpty() id!: string;
  @IsOptional() @IsString() nick?: string | null;
  @IsOptional() @IsString() name?: string | null;
  @IsOptional() @IsString() email?: string | null;
  @IsOptional() @IsString() referredBy?: string | null;
  @IsOptional() @IsString() referralCode?: string | null;
  @IsOptional() @IsString() bonusCode?: string | null;
  @IsOptional() @IsInt() avatar?: number | null;
  @IsOptional() @IsString() phoneNumber?: string | null;
  @IsOptional() @IsString() tag?: string | null;
  @IsOptional() @IsBoolean() active?: boolean | null;
  @IsOptional() @IsBoolean() verified?: boolean | null;
  @IsOptional() @IsInt() trustedLevel?: number | null;
  @IsOptional() @IsString() currency?: string | null;
  @IsOptional() @IsString() preferredCurrency?: string | null;
}

class OpenGameAttributes {
  @IsOptional() @IsObject() @ValidateNested() @Type(() => OpenGameSession) session?: OpenGameSession | null;
  @IsDefined() @IsObject() @ValidateNested() @Type(() => OpenGamePlayer) player!: OpenGamePlayer;
}

class OpenGameData {
  @Equals('OpenGame') type!: 'OpenGame';
  @IsDefined() @IsObject() @ValidateNested() @Type(() => OpenGameAttributes) attributes!: OpenGameAttributes;
}

/** The JSON:API document of open-game. Members that it does not name are tolerated. */
export class OpenGameDocument {
  @IsDefined() @IsObject() @ValidateNested() @Type(() => OpenGameData) data!: OpenGameData;
}
