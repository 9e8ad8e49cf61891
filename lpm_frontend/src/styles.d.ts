/**
 * Stylesheets are imported for their effect. Next says so too, in a file that only a build writes.
 */
declare module "*.css";
