import 'of-nobody';
