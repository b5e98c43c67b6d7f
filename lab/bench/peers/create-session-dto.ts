import { IsIn, IsNotEmpty, IsOptional, IsString, Length, MaxLength } from 'class-validator';

/** The data of `session.create`, with the decorators of class-validator. */
export class CreateSessionDto {
  @IsString()
  @IsNotEmpty()
  @MaxLength(255)
  readonly userId!: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  readonly nick?: string;

  @IsOptional()
  @IsIn(['external', 'internal'])
  readonly authType?: string;

  @IsOptional()
  @Length(2, 2)
  readonly lang?: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  readonly currency?: string;
}
