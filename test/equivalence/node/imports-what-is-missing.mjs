import './of-nobody.mjs';
